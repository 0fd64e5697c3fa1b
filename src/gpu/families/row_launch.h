// What kernels on rows along the last axis share.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>

#include "gpu/lanes.h"
#include "gpu/launch.h"
#include "gpu/row_blocks.h"
#include "graph/primitive.h"

namespace plimsoll::gpu {

// The kernel for a floating dtype; refuses float64 on a device without it, naming the primitive.
const hal::KernelCode& float_row_code(const Primitive& primitive, Dtype dtype, const hal::DeviceInfo& device,
                                      const hal::KernelCode& single, const hal::KernelCode& wide);

// Elements of 16 bytes.
inline uint32_t pack_of(Dtype dtype) { return static_cast<uint32_t>(16 / dtype.size()); }

// Rows of operands whose shapes agree but for the last axis.
RowBlocks rows_around_last(std::initializer_list<std::reference_wrapper<const Tensor>> operands);

// Rows along the last axis, of any length.
uint64_t row_count(const Tensor& tensor);

// Distance between the elements of a row.
inline int64_t last_step(const Tensor& tensor) { return tensor.dim(-1) > 1 ? tensor.stride(-1) : 1; }

// Whether each row's elements lie side by side from a multiple of 16 bytes on.
bool has_aligned_rows(const Tensor& tensor, const RowBlocks& rows, size_t operand);

// From element [0, 0, ...] to the block's first row, in bytes; wraps where that is negative.
inline uint64_t row_bytes(const Tensor& tensor, const RowBlocks& rows, int64_t block, size_t operand) {
  return static_cast<uint64_t>(rows.offset(block, operand) * static_cast<int64_t>(tensor.dtype.size()));
}

// States that a block's rows of the output are written; returns the address of the first.
uint64_t write_rows(Launch& launch, const Tensor& out, const RowBlocks& rows, int64_t block, size_t operand);

// Long rows, too few to fill the device, are cut.
struct RowChunks {
  uint32_t count = 1;
  uint32_t elements = 1;  // of a chunk, a multiple of what a workgroup takes at once
};
RowChunks row_chunks(const Tensor& rows, const hal::DeviceInfo& device);

}  // namespace plimsoll::gpu
