#include <stdexcept>

#include <fmt/format.h>

#include "base/env.h"
#include "hal/drivers/vulkan/driver.h"

namespace plimsoll::hal::vulkan {
namespace {

std::vector<std::string> system_loaders() {
#if defined(__APPLE__)
  return {"libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"};
#else
  return {"libvulkan.so.1", "libvulkan.so"};
#endif
}

Options::Cooperative read_cooperative() {
  const std::string word = base::env_string("PLIMSOLL_COOPMAT").value_or("auto");
  if (word == "auto") return Options::Cooperative::kAuto;
  if (word == "on") return Options::Cooperative::kOn;
  if (word == "off") return Options::Cooperative::kOff;
  throw std::invalid_argument(fmt::format("[PLIMSOLL_COOPMAT] expected auto, on or off, found '{}'", word));
}

}  // namespace

Options Options::from_environment() {
  return {.loaders = system_loaders(),
          .validation = base::env_bool("PLIMSOLL_VULKAN_VALIDATION").value_or(false),
          .cooperative = read_cooperative()};
}

}  // namespace plimsoll::hal::vulkan
