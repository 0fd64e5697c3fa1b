// Memory that is only addresses, with counts of what a machine has of it.
//
// Addresses are never used twice. Staging buffers are real host memory behind their virtual addresses, which costs
// nothing until it is touched; so are imported pages. Device memory holds nothing: copies out of it give zeros.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "hal/buffer.h"
#include "hal/drivers/sim/machine.h"
#include "hal/status.h"

namespace plimsoll::hal::sim {

// Thread-safe.
class Memory {
 public:
  // `machine` outlives it.
  explicit Memory(const Machine& machine) : machine_(machine) {}
  // Unmaps what was never released.
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept;
  Status import_host(std::byte* host, size_t bytes, Buffer& out) noexcept;
  void release(const Buffer& buffer) noexcept;

  // False, and no effect, for buffers that it does not know, and beyond the machine's working set.
  bool set_resident(const Buffer& buffer, bool resident) noexcept;

  void copy(uint64_t from, uint64_t to, size_t bytes) noexcept;
  void fill(uint64_t to, size_t bytes, uint32_t pattern) noexcept;

  // Bytes that count against the machine's memory: on a card without the host's, staging does not.
  size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  size_t wired() const noexcept { return wired_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    size_t bytes;
    std::byte* host;  // null: device memory
    bool owned;       // false: imported
    bool counted;     // in used_
    bool wired;
  };

  Status refusal(size_t bytes, bool counted) const;
  Status add(const Block& block, MemoryKind kind, Buffer& out) noexcept;
  std::byte* host_of(uint64_t address) const;

  const Machine& machine_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Block> blocks_;  // by address, which is the buffer's handle too
  uint64_t next_address_ = uint64_t{1} << 40;
  std::atomic<size_t> used_ = 0;
  std::atomic<size_t> wired_ = 0;
};

}  // namespace plimsoll::hal::sim
