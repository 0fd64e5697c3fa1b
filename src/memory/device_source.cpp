#include "memory/device_source.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace plimsoll::memory {
namespace {

constexpr size_t kSmallestPage = 16 << 10;

Caps caps_of(const hal::DeviceInfo& info) {
  const size_t page = std::max(kSmallestPage, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  return {page, info.max_buffer_bytes, info.max_allocations};
}

Allocation to_allocation(hal::Status status) {
  switch (status) {
    case hal::Status::kOk:
      return Allocation::kOk;
    case hal::Status::kTooLarge:
      return Allocation::kTooLarge;
    case hal::Status::kTooMany:
      return Allocation::kTooMany;
    case hal::Status::kDenied:
    case hal::Status::kTimedOut:
    case hal::Status::kLost:
      return Allocation::kDenied;
  }
  return Allocation::kDenied;
}

}  // namespace

DeviceSource::DeviceSource(hal::Device& device, hal::MemoryKind kind, std::shared_ptr<Residency> residency)
    : device_(device), kind_(kind), caps_(caps_of(device.info())), residency_(std::move(residency)) {}

Allocation DeviceSource::allocate(size_t bytes, Block& out) noexcept {
  hal::Buffer buffer;
  const hal::Status status = device_.allocate(bytes, kind_, buffer);
  if (status != hal::Status::kOk) return to_allocation(status);
  out = {buffer.host, buffer.address, bytes, buffer.handle};
  if (residency_ != nullptr) residency_->add(buffer_of(out, kind_));
  return Allocation::kOk;
}

void DeviceSource::release(const Block& block) noexcept {
  if (residency_ != nullptr) residency_->remove(block.address);
  device_.release(buffer_of(block, kind_));
}

bool DeviceSource::held(const Block& block) const noexcept {
  return residency_ != nullptr && residency_->held(block.address);
}

void DeviceSource::add_holders(const Block& block, std::vector<Use>& uses) const {
  if (residency_ != nullptr) residency_->add_holders(block.address, uses);
}

void DeviceSource::set_wired_limit(size_t bytes) noexcept {
  if (residency_ != nullptr) residency_->set_limit(bytes);
}

hal::Buffer buffer_of(const Block& block, hal::MemoryKind kind) noexcept {
  return {block.address, static_cast<std::byte*>(block.host), block.bytes, kind, block.handle};
}

}  // namespace plimsoll::memory
