// What goes wrong on a simulated device, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hal/fault/occasions.h"

namespace plimsoll::hal::sim {

// Submissions and allocations count from 1, from the opening of the device; refused ones count too.
struct Schedule {
  Occasions deny_allocations;  // answered with kDenied
  Occasions drop_writes;       // the list takes its time and its ticket is done, but its copies and fills are not made
  Occasions hang;              // the list never ends
  Occasions lose_device;       // the device is lost when the list starts

  // Everything from a submission on takes `factor` times as long as the machine says; the last that applies counts.
  struct SlowDown {
    uint64_t from_submission;
    double factor;
  };
  std::vector<SlowDown> slow_downs;

  // Kernels that take so many times as long as the machine says.
  std::map<std::string, double, std::less<>> kernel_factors;

  double factor_of(uint64_t submission) const {
    double factor = 1;
    for (const SlowDown& slow_down : slow_downs) {
      if (submission >= slow_down.from_submission) factor = slow_down.factor;
    }
    return factor;
  }

  double factor_of(std::string_view kernel) const {
    if (kernel_factors.empty()) return 1;
    const auto found = kernel_factors.find(kernel);
    return found == kernel_factors.end() ? 1 : found->second;
  }
};

}  // namespace plimsoll::hal::sim
