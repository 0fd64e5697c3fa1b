// The null driver: devices that keep every promise of the contract but run no kernels. Buffers are host memory, copies
// and fills are done, work is done when it is submitted. It is the test double, it measures what encoding costs, and it
// is the skeleton of a new driver: clone the folder, keep the file names, and replace
//   host_memory  what allocates
//   kernels      what makes code ready for the device
//   command_list what records, and what runs it
//   queue        what sends lists and knows which are done
//   driver       what finds devices and describes them
// then add the driver to drivers/registry.cpp and to the table in conformance/subject_test.cpp.
#pragma once

#include <memory>

#include "hal/driver.h"

namespace plimsoll::hal::null {

// Its devices: "unified", whose buffers the host sees, and "discrete", where it sees staging buffers only.
std::unique_ptr<Driver> make_driver();

}  // namespace plimsoll::hal::null
