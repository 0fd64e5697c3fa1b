// Anonymous pages of the host.
#pragma once

#include <atomic>
#include <cstddef>

namespace plimsoll::hal::null {

// Thread-safe.
class HostMemory {
 public:
  // Whole pages of zeros, aligned to a page; null when the system has no more.
  std::byte* allocate(size_t bytes) noexcept;
  // `bytes` as given to allocate. The pages leave the process.
  void release(std::byte* memory, size_t bytes) noexcept;

  size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<size_t> used_ = 0;
};

}  // namespace plimsoll::hal::null
