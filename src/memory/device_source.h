// Memory of a device, one allocation of its driver per block.
#pragma once

#include <memory>
#include <vector>

#include "hal/device.h"
#include "memory/residency.h"
#include "memory/source.h"

namespace plimsoll::memory {

// Blocks are whole pages of 16 KiB, or of the system where those are larger: what every driver rounds to or beyond, so
// what the pool counts is what the device loses. Addresses are aligned to DeviceInfo::buffer_alignment.
//
// The cap on the number of allocations is the whole device's: where several sources share one, a driver may answer
// kTooMany before this source has used it up. A lost device answers kDenied.
class DeviceSource final : public Source {
 public:
  // `device` outlives the source. Blocks may be wired by `residency`, whose limit is the source's; null: none are.
  DeviceSource(hal::Device& device, hal::MemoryKind kind, std::shared_ptr<Residency> residency = nullptr);

  Caps caps() const override { return caps_; }
  Allocation allocate(size_t bytes, Block& out) noexcept override;
  void release(const Block& block) noexcept override;
  bool held(const Block& block) const noexcept override;
  void add_holders(const Block& block, std::vector<Use>& uses) const override;
  bool can_wire() const noexcept override { return residency_ != nullptr && residency_->can_wire(); }
  void set_wired_limit(size_t bytes) noexcept override;
  size_t wired() const noexcept override { return residency_ == nullptr ? 0 : residency_->wired(); }

 private:
  hal::Device& device_;
  const hal::MemoryKind kind_;
  const Caps caps_;
  const std::shared_ptr<Residency> residency_;
};

// The device's own name for a block of `kind` from a DeviceSource.
hal::Buffer buffer_of(const Block& block, hal::MemoryKind kind) noexcept;

}  // namespace plimsoll::memory
