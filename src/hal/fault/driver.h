// Fault devices over the devices of a driver.
#pragma once

#include <memory>

#include "hal/driver.h"
#include "hal/fault/plan.h"

namespace plimsoll::hal::fault {

// Named and numbered as the driver below, which outlives it. All its devices share the plan: a device that is opened
// again after a loss goes on counting.
std::unique_ptr<Driver> make_driver(Driver& inner, std::shared_ptr<Plan> plan, const Caps& caps = {});

}  // namespace plimsoll::hal::fault
