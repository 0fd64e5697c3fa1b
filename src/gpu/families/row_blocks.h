// The rows of tensors whose kernels step through rows evenly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/layout.h"
#include "graph/tensor.h"

namespace plimsoll::gpu {

// The strides of a tensor's rows: all but the last.
inline Strides row_strides(const Tensor& t) { return Strides(t.strides.begin(), t.strides.end() - 1); }

// The rows of tensors of one shape but for the last axis, in row-major order, as blocks in which every tensor steps
// evenly: nearly always one. `shape_of` gives the shape; strides[k] is row_strides of tensor k.
class RowBlocks {
 public:
  RowBlocks(const Tensor& shape_of, std::span<const Strides> strides)
      : axes_(collapse_axes(Shape(shape_of.shape.begin(), shape_of.shape.end() - 1), strides)) {
    if (!axes_.shape.empty()) rows_ = axes_.shape.back();
    if (rows_ == 0) blocks_ = 0;
    for (size_t axis = 0; axis + 1 < axes_.shape.size(); ++axis) blocks_ *= axes_.shape[axis];
  }

  int64_t count() const { return blocks_; }
  int64_t rows() const { return rows_; }  // of a block
  // Between rows of a block, in elements of a tensor.
  int64_t step(size_t tensor) const { return axes_.shape.empty() ? 0 : axes_.strides[tensor].back(); }
  // From the tensor's element [0, 0, ...] to the block's first row.
  int64_t start(int64_t block, size_t tensor) const {
    int64_t offset = 0;
    for (size_t axis = axes_.shape.size(); axis-- > 1; block /= axes_.shape[axis - 1]) {
      offset += block % axes_.shape[axis - 1] * axes_.strides[tensor][axis - 1];
    }
    return offset;
  }

 private:
  CollapsedAxes axes_;
  int64_t blocks_ = 1;
  int64_t rows_ = 1;
};

}  // namespace plimsoll::gpu
