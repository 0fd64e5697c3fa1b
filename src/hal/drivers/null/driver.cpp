#include "hal/drivers/null/driver.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "plimsoll/errors.h"
#include "hal/drivers/null/device.h"

namespace plimsoll::hal::null {
namespace {

DeviceInfo describe(const char* name, bool unified) {
  DeviceInfo info;
  info.name = name;
  info.driver = "null";
  info.driver_version = "1";
  info.identity = std::string("null-") + name;
  info.type = DeviceType::kSoftware;
  info.unified = unified;
  info.makes_values = false;
  info.memory_bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  info.buffer_alignment = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  info.max_group_size = 1024;
  info.shared_memory_bytes = 48 << 10;
  info.subgroup_size = info.min_subgroup_size = info.max_subgroup_size = 32;
  info.compute_units = 1;
  info.has_half_math = info.has_float64 = info.has_int64_atomics = info.has_float_atomics = true;
  info.has_timestamps = true;
  using Type = CooperativeShape::Type;
  info.cooperative_shapes = {{16, 16, 16, Type::kFloat16, Type::kFloat32},
                             {16, 16, 16, Type::kBfloat16, Type::kFloat32}};
  return info;
}

class NullDriver final : public Driver {
 public:
  const char* name() const noexcept override { return "null"; }
  std::string unavailable() const override { return {}; }

  std::vector<Candidate> candidates() override {
    return {{describe("unified", true), {}}, {describe("discrete", false), {}}};
  }

  std::unique_ptr<hal::Device> open(size_t index) override {
    std::vector<Candidate> found = candidates();
    if (index >= found.size()) return Driver::open(std::to_string(index));
    return std::make_unique<Device>(std::move(found[index].info));
  }

  std::unique_ptr<hal::Device> open(std::string_view device) override {
    std::vector<Candidate> found = candidates();
    const auto named =
        std::find_if(found.begin(), found.end(), [&](const Candidate& c) { return c.info.name == device; });
    if (named == found.end()) return Driver::open(device);
    return std::make_unique<Device>(std::move(named->info));
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver() { return std::make_unique<NullDriver>(); }

}  // namespace plimsoll::hal::null
