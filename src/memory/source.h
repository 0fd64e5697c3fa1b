// Where a pool's bytes come from: the seam to a driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/use.h"

namespace plimsoll::memory {

// One allocation of a driver.
struct Block {
  void* host = nullptr;  // null where the host cannot see it
  uint64_t address = 0;  // as the device's kernels use it; the host pointer's value for system memory
  size_t bytes = 0;
  uint64_t handle = 0;  // the source's own, opaque to the pool
};

// How a request to the driver ended.
enum class Allocation {
  kOk,
  kDenied,    // no memory
  kTooLarge,  // above the driver's cap on one allocation
  kTooMany,   // at the driver's cap on their number
};

// What the driver allows. SIZE_MAX: no cap.
struct Caps {
  size_t granularity;  // page size, a power of two: blocks are multiples of it; system memory is aligned to it
  size_t max_allocation;
  size_t max_allocations;
};

// Not thread-safe by itself: its pool calls it under the pool's lock.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // Constant over the life of the source.
  virtual Caps caps() const = 0;

  // pre: bytes is a multiple of caps().granularity, not 0. Sets `out` on kOk only. The contents are undefined.
  virtual Allocation allocate(size_t bytes, Block& out) noexcept = 0;

  // pre: `block` came from allocate, unchanged, nothing in flight touches it, and it is not held.
  virtual void release(const Block& block) noexcept = 0;

  // Whether work in flight keeps the block from being released although none of it touches the block; then, which.
  virtual bool held(const Block&) const noexcept { return false; }
  virtual void add_holders(const Block&, std::vector<Use>&) const {}

  // Whether blocks can be kept resident under pressure; how many bytes at most, which a source that cannot ignores; and
  // those that are.
  virtual bool can_wire() const noexcept { return false; }
  virtual void set_wired_limit(size_t) noexcept {}
  virtual size_t wired() const noexcept { return 0; }
};

}  // namespace plimsoll::memory
