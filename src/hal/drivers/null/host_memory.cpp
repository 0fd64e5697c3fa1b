#include "hal/drivers/null/host_memory.h"

#include <sys/mman.h>

namespace plimsoll::hal::null {

std::byte* HostMemory::allocate(size_t bytes) noexcept {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  used_.fetch_add(bytes, std::memory_order_relaxed);
  return static_cast<std::byte*>(memory);
}

void HostMemory::release(std::byte* memory, size_t bytes) noexcept {
  // Unmapping the middle of merged mappings can fail at the system's cap on them; the pages must leave all the same.
  if (munmap(memory, bytes) != 0) madvise(memory, bytes, MADV_DONTNEED);
  used_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace plimsoll::hal::null
