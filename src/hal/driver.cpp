#include "hal/driver.h"

#include "plimsoll/errors.h"

namespace plimsoll::hal {

std::unique_ptr<Device> Driver::open(std::string_view device) {
  std::string message =
      std::string("[") + name() + "] there is no device named " + std::string(device) + "; there are:";
  const std::vector<Candidate> found = candidates();
  for (size_t i = 0; i < found.size(); ++i) message += " " + std::to_string(i) + " (" + found[i].info.name + ")";
  throw DeviceError(message);
}

}  // namespace plimsoll::hal
