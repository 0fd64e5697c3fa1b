// Counts what a pool holds, by class, against its limits. Arithmetic only: knows no driver and keeps no memory.
//
// Invariant: active + mapped + cached + returning <= allowance, where the allowance is the memory limit, or, after the
// limit was set below what was held, what was still held when it last shrank.
#pragma once

#include <cstddef>

#include "memory/limits.h"

namespace plimsoll::memory {

class Ledger {
 public:
  explicit Ledger(const Limits& limits) noexcept;

  const Limits& limits() const noexcept { return limits_; }
  size_t active() const noexcept { return active_; }
  size_t mapped() const noexcept { return mapped_; }
  size_t cached() const noexcept { return cached_; }        // free, the unused parts of slab blocks included
  size_t returning() const noexcept { return returning_; }  // out of the cache, not yet back with the driver
  size_t live() const noexcept { return live_; }            // buffers
  size_t blocks() const noexcept { return blocks_; }        // driver allocations, returning ones included
  size_t returning_blocks() const noexcept { return returning_blocks_; }
  size_t peak() const noexcept { return peak_; }
  size_t peak_cache() const noexcept { return peak_cache_; }
  size_t held() const noexcept { return active_ + mapped_ + cached_ + returning_; }

  // A driver block enters as cache, leaves the cache, and goes back to the driver.
  void block_added(size_t bytes) noexcept;
  void block_dropped(size_t bytes) noexcept;
  void block_returned(size_t bytes) noexcept;

  // A buffer moves between cache and active.
  void take(size_t bytes) noexcept;
  void put(size_t bytes) noexcept;

  void map(size_t bytes) noexcept { mapped_ += bytes; }
  void unmap(size_t bytes) noexcept;

  // Bytes by which held + `more` would pass the memory limit, returning bytes left out or counted; 0 if it fits.
  size_t excess_without_returning(size_t more) const noexcept;
  size_t excess(size_t more) const noexcept;

  // Bytes by which active + mapped + `pinned` + `more` would pass the memory limit: what no eviction can mend.
  size_t shortfall(size_t pinned, size_t more) const noexcept;

  void set_memory_limit(size_t bytes) noexcept;
  void set_cache_limit(size_t bytes) noexcept { limits_.cache = bytes; }
  void set_wired_limit(size_t bytes) noexcept { limits_.wired = bytes; }
  void set_object_limit(size_t count) noexcept { limits_.objects = count; }

  // Called when a step is complete, so that the passage of bytes within one never counts.
  void note_peaks() noexcept;
  void reset_peak() noexcept;

  bool is_valid() const noexcept;

 private:
  void shrink_allowance() noexcept;

  Limits limits_;
  size_t allowance_;
  size_t active_ = 0;
  size_t mapped_ = 0;
  size_t cached_ = 0;
  size_t returning_ = 0;
  size_t live_ = 0;
  size_t blocks_ = 0;
  size_t returning_blocks_ = 0;
  size_t peak_ = 0;
  size_t peak_cache_ = 0;
};

}  // namespace plimsoll::memory
