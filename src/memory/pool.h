// A memory pool: the one throat that all allocation passes.
//
//   acquire -> a cached buffer or a slot, else: check the ledger -> drop cache -> wait for work in flight that holds
//   what was dropped -> ask the driver; a refusal comes before any driver call. release -> leaves active at once, in
//   the order of calls, whatever the device is doing.
//
// Active, peak and the choice of buffers are functions of the order of calls, never of timing: work in flight only
// decides how long a caller waits. At every moment active + mapped + cache + returning <= limit (docs/memory.md).
//
// Thread-safe. No call waits while it holds the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "plimsoll/memory.h"
#include "memory/limits.h"
#include "memory/request.h"
#include "memory/source.h"
#include "memory/store.h"
#include "memory/use.h"

namespace plimsoll::memory {

// The first address of what the buffer was cut from, the same for all buffers that could share a byte with it over
// time: its driver block, or its span of a slab. 0 for Buffer{}.
uint64_t home_of(const Buffer& buffer) noexcept;

class Pool {
 public:
  // `board` outlives the pool. An object limit above the source's cap on allocations is lowered to it.
  Pool(std::unique_ptr<Source> source, const Limits& limits, const UseBoard& board);

  // Gives everything back to the driver, live buffers included: nothing may be in flight.
  ~Pool() = default;

  // Buffers for all requests, in out[0 .. requests.size()), or for none. A request of 0 bytes gets Buffer{}. `stream`
  // is where they will be written first. The contents are undefined. When the result is not acquired, wait for what it
  // names, without a lock that those need, and call again.
  // Throws OutOfMemory when a limit, a cap or the driver refuses; then nothing has changed that can be seen, except
  // that the driver's own refusal has cost the cache. Throws std::invalid_argument if `out` is too short.
  AcquireResult acquire(std::span<const Request> requests, uint32_t stream, std::span<Buffer> out);

  // `last_use`: the work that touches the buffer last (encoded, not necessarily finished). Empties the handle. Nothing
  // for Buffer{}. Any thread may call it.
  void release(Buffer& buffer, Use last_use) noexcept;

  // Counts bytes of a mapped file, `what`, against the memory limit. Drops cache for it, and blocks, without the lock,
  // while work in flight still holds what was dropped: that work must have been submitted. Throws OutOfMemory if it
  // cannot fit, or if that work has not finished after ten seconds.
  void charge_mapped(size_t bytes, const std::string& what);
  void discharge_mapped(size_t bytes) noexcept;

  // Footprint, available and graph nodes are the caller's to fill in.
  MemoryStats stats() const;

  size_t active() const;  // without mapped
  size_t memory_limit() const;
  size_t max_allocation() const noexcept { return store_.caps().max_allocation; }

  // Each returns the limit before. Lower limits take effect at once: cache goes; what is live stays, and the next
  // reservation is refused while it is over the limit.
  size_t set_memory_limit(size_t bytes);
  size_t set_cache_limit(size_t bytes);
  size_t set_object_limit(size_t count);

  // Has an effect where the source can keep memory resident; system memory cannot.
  size_t set_wired_limit(size_t bytes);
  bool can_wire() const noexcept { return store_.can_wire(); }

  // Empties the cache. Blocks of work in flight follow when it has finished, at a later call.
  void clear_cache();
  void reset_peak();

  // For tests: the nth acquire from now that asks for bytes throws OutOfMemory, as if the driver had refused it.
  void deny_nth_acquire(uint64_t nth);

  // For tests: recounts everything.
  bool is_valid() const;

 private:
  bool try_charge_mapped(size_t bytes, const std::string& what);

  mutable std::mutex mutex_;
  Store store_;
  uint64_t acquires_until_denial_ = 0;  // 0: none is to be denied
};

}  // namespace plimsoll::memory
