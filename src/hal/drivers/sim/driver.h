// The simulation driver: devices made of arithmetic. Memory is addresses, time is a virtual clock, and work costs what
// a table says (machine.h); failures are those of real machines and those that a schedule asks for (schedule.h):
//
//   paging         more memory in use than the machine keeps resident: traffic slows down
//   kills          a list longer than DeviceInfo::kill_seconds loses the device when that time has passed
//   out of memory  allocations beyond the machine's memory, buffer and count caps
//   device loss, hangs, dropped writes, denied allocations, slow-downs, wrong rates: by schedule
//
// No kernel runs, so results hold no values (DeviceInfo::makes_values), and the host sees no device memory, not even on
// machines that share theirs; staging buffers are real, so canary words work. device.h has the controls.
#pragma once

#include <memory>

#include "hal/driver.h"

namespace plimsoll::hal::sim {

// Its devices are the presets (presets.h), by name or index.
std::unique_ptr<Driver> make_driver();

}  // namespace plimsoll::hal::sim
