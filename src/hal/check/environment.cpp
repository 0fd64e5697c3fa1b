#include "hal/check/environment.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "base/env.h"
#include "hal/check/device.h"

namespace plimsoll::hal::check {

const std::shared_ptr<Report>& process_report() {
  static const auto* const report = new std::shared_ptr<Report>(std::make_shared<Report>());
  return *report;
}

std::unique_ptr<hal::Device> wrap_if_asked(std::unique_ptr<hal::Device> device) {
  const std::string asked = base::env_string("PLIMSOLL_VALIDATE").value_or("0");
  if (asked == "0") return device;
  if (asked != "1" && asked != "statements") {
    throw std::invalid_argument("[PLIMSOLL_VALIDATE] expected 0, 1 or statements, found '" + asked + "'");
  }
  const Mode mode = asked == "1" ? Mode::kOrder : Mode::kStatements;
  return std::make_unique<Device>(std::move(device), process_report(), mode);
}

}  // namespace plimsoll::hal::check
