// The Vulkan driver: every device with Vulkan 1.2 and the features that docs/drivers/vulkan.md lists. No native header
// comes with this one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/driver.h"

namespace plimsoll::hal::vulkan {

struct Options {
  enum class Cooperative : uint8_t { kAuto, kOn, kOff };

  // Names of the loader's library, tried in this order.
  std::vector<std::string> loaders;

  // Turns VK_LAYER_KHRONOS_validation on; its messages go to the log as warnings and are counted.
  bool validation = false;

  // Cooperative matrices. kAuto: where the device has them, but not under validation, whose layer may be older than
  // they are. kOn: a device without them is unusable.
  Cooperative cooperative = Cooperative::kAuto;

  // PLIMSOLL_VULKAN_VALIDATION=1|0, PLIMSOLL_COOPMAT=auto|on|off and this system's loader. std::invalid_argument for
  // other values.
  static Options from_environment();
};

std::unique_ptr<Driver> make_driver(const Options& options);
std::unique_ptr<Driver> make_driver();  // as the environment says

// Messages of the validation layer since the driver was made. `driver` must be one of make_driver's.
uint64_t validation_messages(const Driver& driver);

}  // namespace plimsoll::hal::vulkan
