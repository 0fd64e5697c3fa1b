// How fast a device runs each kernel: learned from timestamps, used to project the time of work before it is sent.
//
// An ideal device with the table's copy rate and arithmetic rate would need ideal(cost) seconds. What is kept per
// kernel is its slowness: how many times longer it takes. A kernel that was never measured has the floor's slowness;
// better news is believed by a factor of two a submission, worse news at once. Guarded by the scheduling lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hal/device_info.h"
#include "hal/dispatch.h"

namespace plimsoll::gpu {

class RateTable {
 public:
  struct Ideal {
    double bytes_per_second;
    double operations_per_second;
    double fixed_seconds;  // of one dispatch
  };

  // Projections are halved in rate for safety.
  static constexpr double kSafety = 0.5;
  // Work that cannot take this long is not measured, and not charged for its kernel's slowness.
  static constexpr double kMeasurable = 1e-3;  // seconds
  static constexpr double kFloorSlowness = 16;

  explicit RateTable(const Ideal& ideal) : ideal_(ideal) {}
  // With rates that are safe guesses for any device of the type.
  explicit RateTable(const hal::DeviceInfo& info);

  // Seconds that the work may take, safety included.
  double project(const hal::Kernel& kernel, const hal::Cost& cost) const;

  // Whether timestamps around the work would teach something.
  bool is_measurable(const hal::Kernel& kernel, const hal::Cost& cost) const;

  // What the work took by the device's clock. `submission` numbers command buffers, from 1.
  void learn(const hal::Kernel& kernel, const hal::Cost& cost, double seconds, uint64_t submission);

  double slowness(std::string_view kernel) const;

  // Keeps what was learned in a file, and takes up what an earlier process learned: a file that does not parse counts
  // for nothing. save throws WriteError; it writes only what changed since load.
  void load(const std::string& path);
  void save(const std::string& path);

 private:
  struct Rate {
    double slowness = kFloorSlowness;
    uint64_t submission = 0;  // the last one that it was learned from
  };

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };

  double ideal(const hal::Cost& cost) const;

  Ideal ideal_;
  std::unordered_map<std::string, Rate, Hash, std::equal_to<>> rates_;  // by kernel name
  bool changed_ = false;
};

}  // namespace plimsoll::gpu
