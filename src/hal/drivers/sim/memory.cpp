#include "hal/drivers/sim/memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace plimsoll::hal::sim {
namespace {

std::byte* map_pages(size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

Memory::~Memory() {
  for (const auto& [address, block] : blocks_) {
    if (block.owned && block.host != nullptr) munmap(block.host, block.bytes);
  }
}

Status Memory::refusal(size_t bytes, bool counted) const {
  if (bytes > machine_.info.max_buffer_bytes) return Status::kTooLarge;
  if (blocks_.size() >= machine_.info.max_allocations) return Status::kTooMany;
  if (counted && bytes > machine_.info.memory_bytes - used()) return Status::kDenied;
  return Status::kOk;
}

Status Memory::add(const Block& block, MemoryKind kind, Buffer& out) noexcept {
  const uint64_t alignment = machine_.info.buffer_alignment;
  const uint64_t address = next_address_;
  try {
    blocks_.emplace(address, block);
  } catch (const std::bad_alloc&) {
    return Status::kDenied;
  }
  // A gap behind each block: an address past its end belongs to nobody.
  next_address_ += (block.bytes + alignment) / alignment * alignment + alignment;
  if (block.counted) used_ += block.bytes;
  out = {address, block.host, block.bytes, kind, address};
  return Status::kOk;
}

Status Memory::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  const std::lock_guard lock(mutex_);
  const bool counted = machine_.info.unified || kind == MemoryKind::kDevice;
  if (const Status status = refusal(bytes, counted); status != Status::kOk) return status;
  std::byte* const host = kind == MemoryKind::kStaging ? map_pages(bytes) : nullptr;
  if (kind == MemoryKind::kStaging && host == nullptr) return Status::kDenied;
  const Status status = add({bytes, host, true, counted, false}, kind, out);
  if (status != Status::kOk && host != nullptr) munmap(host, bytes);
  return status;
}

Status Memory::import_host(std::byte* host, size_t bytes, Buffer& out) noexcept {
  if (!machine_.imports) return Status::kDenied;
  const std::lock_guard lock(mutex_);
  if (const Status status = refusal(bytes, false); status != Status::kOk) return status;
  return add({bytes, host, false, false, false}, MemoryKind::kStaging, out);
}

void Memory::release(const Buffer& buffer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(buffer.handle);
  if (found == blocks_.end()) return;
  const Block& block = found->second;
  if (block.counted) used_ -= block.bytes;
  if (block.wired) wired_ -= block.bytes;
  if (block.owned && block.host != nullptr) munmap(block.host, block.bytes);
  blocks_.erase(found);
}

bool Memory::set_resident(const Buffer& buffer, bool resident) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(buffer.handle);
  if (!machine_.wires || found == blocks_.end()) return false;
  Block& block = found->second;
  if (block.wired == resident) return true;
  if (resident && block.bytes > machine_.working_set_bytes - wired()) return false;
  block.wired = resident;
  if (resident) {
    wired_ += block.bytes;
  } else {
    wired_ -= block.bytes;
  }
  return true;
}

std::byte* Memory::host_of(uint64_t address) const {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return nullptr;
  const auto& [base, block] = *--next;
  if (block.host == nullptr || address - base >= block.bytes) return nullptr;
  return block.host + (address - base);
}

void Memory::copy(uint64_t from, uint64_t to, size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  std::byte* const target = host_of(to);
  if (target == nullptr) return;
  if (const std::byte* const source = host_of(from)) {
    std::memmove(target, source, bytes);
  } else {
    std::memset(target, 0, bytes);
  }
}

void Memory::fill(uint64_t to, size_t bytes, uint32_t pattern) noexcept {
  const std::lock_guard lock(mutex_);
  std::byte* const target = host_of(to);
  if (target == nullptr) return;
  for (size_t i = 0; i < bytes; i += sizeof pattern) std::memcpy(target + i, &pattern, sizeof pattern);
}

}  // namespace plimsoll::hal::sim
