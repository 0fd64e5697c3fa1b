// The checker as users switch it on: PLIMSOLL_VALIDATE=1 for order, =statements for statements too.
#pragma once

#include <memory>

#include "hal/check/report.h"
#include "hal/device.h"

namespace plimsoll::hal::check {

// What all devices of this process that were wrapped below report to.
const std::shared_ptr<Report>& process_report();

// The device, behind a checker if the environment asks for one. Throws std::invalid_argument when PLIMSOLL_VALIDATE
// says something else.
std::unique_ptr<hal::Device> wrap_if_asked(std::unique_ptr<hal::Device> device);

}  // namespace plimsoll::hal::check
