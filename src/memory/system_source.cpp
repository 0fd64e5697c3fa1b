#include "memory/system_source.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace plimsoll::memory {

namespace {

size_t max_mappings() {
  std::ifstream file("/proc/sys/vm/max_map_count");
  size_t count = 0;
  return file >> count && count > 1 ? count / 2 : SIZE_MAX;
}

}  // namespace

SystemSource::SystemSource() : caps_{static_cast<size_t>(sysconf(_SC_PAGESIZE)), SIZE_MAX, max_mappings()} {}

Allocation SystemSource::allocate(size_t bytes, Block& out) noexcept {
  void* const host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (host == MAP_FAILED) return Allocation::kDenied;
  out = {host, reinterpret_cast<uint64_t>(host), bytes, 0};
  return Allocation::kOk;
}

void SystemSource::release(const Block& block) noexcept {
  // Unmapping the middle of merged mappings can fail at the system's cap on them; the pages must leave all the same.
  if (munmap(block.host, block.bytes) != 0) madvise(block.host, block.bytes, MADV_DONTNEED);
}

}  // namespace plimsoll::memory
