// Memory of a device, one allocation of its driver per block.
#pragma once

#include "hal/device.h"
#include "memory/source.h"

namespace plimsoll::memory {

// Blocks are whole pages of 16 KiB, or of the system where those are larger: what every driver rounds to or beyond, so
// what the pool counts is what the device loses. Addresses are aligned to DeviceInfo::buffer_alignment.
//
// The cap on the number of allocations is the whole device's: where several sources share one, a driver may answer
// kTooMany before this source has used it up. A lost device answers kDenied.
class DeviceSource final : public Source {
 public:
  // `device` outlives the source.
  DeviceSource(hal::Device& device, hal::MemoryKind kind);

  Caps caps() const override { return caps_; }
  Allocation allocate(size_t bytes, Block& out) noexcept override;
  void release(const Block& block) noexcept override;

 private:
  hal::Device& device_;
  const hal::MemoryKind kind_;
  const Caps caps_;
};

// The device's own name for a block of `kind` from a DeviceSource.
hal::Buffer buffer_of(const Block& block, hal::MemoryKind kind) noexcept;

}  // namespace plimsoll::memory
