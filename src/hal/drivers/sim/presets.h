// Machines that exist, in numbers. Measured figures come first, public ones fill the rest; bandwidths are what a copy
// reaches, about 0.85 of the advertised figure where nobody measured.
#pragma once

#include <vector>

#include "hal/drivers/sim/machine.h"

namespace plimsoll::hal::sim {

// Each named by info.name: "m1max-32" has 32 GiB.
std::vector<Machine> presets();

}  // namespace plimsoll::hal::sim
