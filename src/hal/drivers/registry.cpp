// The drivers of this build.
#include <array>
#include <memory>
#include <string_view>

#include "hal/driver.h"
#include "hal/drivers/null/driver.h"
#if __has_include("hal/drivers/sim/driver.h")
#include "hal/drivers/sim/driver.h"
#define PLIMSOLL_HAL_SIM 1
#endif
#if PLIMSOLL_HAL_VULKAN
#include "hal/drivers/vulkan/driver.h"
#endif

namespace plimsoll::hal {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Driver> (*make)();
};

// In the order in which devices are offered: real ones first.
constexpr Entry kEntries[] = {
#if PLIMSOLL_HAL_VULKAN
    {"vulkan", &vulkan::make_driver},
#endif
#if PLIMSOLL_HAL_SIM
    {"sim", &sim::make_driver},
#endif
    {"null", &null::make_driver},
};

template <size_t kIndex>
Driver* made() {
  static const std::unique_ptr<Driver> driver = kEntries[kIndex].make();
  return driver.get();
}

template <size_t... kIndices>
std::vector<Driver*> made_all(std::index_sequence<kIndices...> /*all*/) {
  return {made<kIndices>()...};
}

template <size_t... kIndices>
Driver* made_named(std::string_view name, std::index_sequence<kIndices...> /*all*/) {
  Driver* found = nullptr;
  ((kEntries[kIndices].name == name ? (found = made<kIndices>(), true) : false) || ...);
  return found;
}

using All = std::make_index_sequence<std::size(kEntries)>;

}  // namespace

Driver* find_driver(std::string_view name) { return made_named(name, All()); }

std::vector<Driver*> all_drivers() { return made_all(All()); }

}  // namespace plimsoll::hal
