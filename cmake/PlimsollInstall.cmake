# Installed by the build helper's package step.
