// The drivers of this build.
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "hal/driver.h"
#include "hal/drivers/null/driver.h"
#include "hal/drivers/sim/driver.h"
#if PLIMSOLL_HAL_VULKAN
#include "hal/drivers/vulkan/driver.h"
#endif

namespace plimsoll::hal {
namespace {

// Made by whoever asks first; if that throws (a variable that does not parse), the next one tries again. Never
// destroyed: at exit a native driver's own library may be gone before.
struct Entry {
  std::string_view name;
  std::unique_ptr<Driver> (*make)();
  std::once_flag once = {};
  Driver* driver = nullptr;

  Driver* get() {
    std::call_once(once, [this] { driver = make().release(); });
    return driver;
  }
};

// In the order in which devices are offered: real ones first.
Entry entries[] = {
#if PLIMSOLL_HAL_VULKAN
    {.name = "vulkan", .make = &vulkan::make_driver},
#endif
    {.name = "sim", .make = &sim::make_driver},
    {.name = "null", .make = &null::make_driver},
};

}  // namespace

Driver* find_driver(std::string_view name) {
  for (Entry& entry : entries) {
    if (entry.name == name) return entry.get();
  }
  return nullptr;
}

std::vector<Driver*> all_drivers() {
  std::vector<Driver*> drivers;
  for (Entry& entry : entries) drivers.push_back(entry.get());
  return drivers;
}

}  // namespace plimsoll::hal
