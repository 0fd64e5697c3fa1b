// A piece of memory that a device's kernels reach by address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::hal {

enum class MemoryKind : uint8_t {
  kDevice,   // where kernels are fastest; on unified and software devices the host sees it too
  kStaging,  // host memory that the device reads and writes: cached, coherent, for copies between the two
};

// A plain handle without ownership: who allocated it releases it, once.
struct Buffer {
  uint64_t address = 0;       // as kernels use it; aligned to DeviceInfo::buffer_alignment
  std::byte* host = nullptr;  // null where the host should not touch it: use a staging buffer and a copy
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t handle = 0;  // the driver's own
};

}  // namespace plimsoll::hal
