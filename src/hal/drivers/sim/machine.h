// What a simulated machine is made of: the numbers that its time and its failures follow from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hal/device_info.h"
#include "hal/dispatch.h"

namespace plimsoll::hal::sim {

// Operations per second that kernels whose name starts with `prefix` reach.
struct Rate {
  std::string_view prefix;  // of static lifetime
  double operations_per_second;
};

struct Machine {
  DeviceInfo info;

  // Time. A dispatch takes dispatch_seconds + max(operations / its kernel's rate, bytes / bytes_per_second).
  double dispatch_seconds = 0;
  double barrier_seconds = 0;
  double list_seconds = 0;  // of every submission
  double operations_per_second = 0;
  double bytes_per_second = 0;
  std::vector<Rate> rates;  // the longest prefix that fits decides; none: operations_per_second
  unsigned engines = 1;     // lists that can run at the same time, each at full speed

  // Memory. Above paging_bytes in use, the excess's share of all traffic moves at paging_bytes_per_second.
  size_t working_set_bytes = 0;  // the system's advice: what memory_budget() answers, and the most that can be wired
  size_t paging_bytes = SIZE_MAX;
  double paging_bytes_per_second = 1;
  bool imports = false;  // host memory
  bool wires = false;

  // Seconds that a dispatch takes, with `paged` the share of its bytes that have to be brought back first.
  double seconds(std::string_view kernel, const Cost& cost, double paged) const;
  // The same for copies and fills: `bytes` moved, reads and writes.
  double seconds(double bytes, double paged) const;

  // The share of traffic that pages with `used` bytes in use: (used - paging_bytes) / used.
  double paged_share(size_t used) const;
};

}  // namespace plimsoll::hal::sim
