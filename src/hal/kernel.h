// Code that a device runs.
//
// The calling convention, the same for every driver: a kernel gets one block of parameters, and no more than 2^32 - 1
// workgroups in one dimension. The block starts with a uint32, the first workgroup of this dispatch: the kernel adds it
// to the index that the device gives it, so any dispatch can be cut in two at a workgroup boundary with the same
// results. All pointers in the block are 64-bit buffer addresses. A block of more than kDirectParameterBytes reaches
// the kernel by address (src/kernels/common.glsl: LARGE_PARAMETERS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plimsoll::hal {

inline constexpr size_t kDirectParameterBytes = 128;

// The specialization constant that drivers set in every kernel that has it: DeviceInfo::has_exact_halves as 0 or 1.
inline constexpr uint32_t kExactHalvesConstant = 100;

// A kernel built ahead of time. Of static lifetime: drivers may tell kernels apart by the address of their code.
struct KernelCode {
  const char* name;                 // "softmax_float": unique, printed in profiles
  std::span<const uint32_t> spirv;  // empty for devices that run nothing
  uint64_t hash = 0;                // of the code, for caches on disk
};

// A kernel made ready for its device, with its constants set. Lives as long as the device.
class Kernel {
 public:
  Kernel() = default;
  virtual ~Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  virtual const char* name() const noexcept = 0;
};

}  // namespace plimsoll::hal
