// The command line as a whole.
#pragma once

namespace plimsoll::cli {

// Parses the arguments, runs what they ask for and returns the exit code. Throws nothing.
int run(int argc, const char* const* argv);

}  // namespace plimsoll::cli
