// What one dispatch says of itself, once: hazards, commits, budgets, profiles, plans and simulation all read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/kernel.h"

namespace plimsoll::hal {

// Bytes [address + i * row_stride, + row_bytes) for i in [0, rows). Rows do not overlap: row_bytes <= row_stride, or
// rows == 1.
struct Region {
  uint64_t address = 0;
  uint64_t row_bytes = 0;
  uint64_t row_stride = 0;
  uint64_t rows = 1;

  bool empty() const { return row_bytes == 0 || rows == 0; }
  // One past the last byte.
  uint64_t end() const { return empty() ? address : address + (rows - 1) * row_stride + row_bytes; }
  friend bool operator==(const Region&, const Region&) = default;
};

// Whether the two share a byte. Exact.
bool overlap(const Region& a, const Region& b) noexcept;

enum class AccessKind : uint8_t {
  kRead,
  kWrite,      // every byte of the region is written, whatever was there
  kReadWrite,  // what was there matters: accumulation, partial writes, atomics
};

struct Access {
  Region region;
  AccessKind kind = AccessKind::kRead;
  // The allocation that the region lies in, by its first address: accesses of different homes never conflict.
  uint64_t home = 0;

  bool writes() const { return kind != AccessKind::kRead; }
  bool reads() const { return kind != AccessKind::kWrite; }
};

// Work, for projections: what a perfect device would have to do at least.
struct Cost {
  double operations = 0;  // multiply-adds count twice
  double bytes = 0;       // moved through device memory, reads and writes

  Cost scaled(double share) const { return {operations * share, bytes * share}; }
};

// The spans need to live during the call only. The parameters' first uint32 is the first workgroup.
struct Dispatch {
  const Kernel* kernel = nullptr;
  std::span<const std::byte> parameters;
  uint32_t groups = 0;  // workgroups, at most DeviceInfo::max_groups
  std::span<const Access> accesses;
  Cost cost;
  const char* label = "";  // the operation it belongs to, of static lifetime
  // A further piece of the dispatch before it, cut at a workgroup boundary: the pieces write different bytes of the
  // regions that they state, and need no order among themselves.
  bool continued = false;
};

}  // namespace plimsoll::hal
