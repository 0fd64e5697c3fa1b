// The rows of operands that a kernel works along one axis of: what the axes around it are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/layout.h"

namespace plimsoll::gpu {

inline constexpr size_t kRowAxes = 3;

// What kernels/rows.glsl declares as RowAxes. Axes that are not there have size 1.
template <size_t N>
struct RowAxes {
  uint64_t sizes[kRowAxes - 1] = {};  // of all but the outermost
  int64_t strides[N][kRowAxes] = {};  // elements
};

// Rows in as few axes as their strides allow. Axes beyond the kRowAxes innermost ones are walked by the host, a block
// of rows at a time; so are rows beyond what a kernel can count.
class RowBlocks {
 public:
  // The axes around the one that rows lie along, and each operand's strides of them.
  RowBlocks(const Shape& shape, std::span<const Strides> strides);

  // 1 for almost everything, 0 where there are no rows.
  int64_t count() const { return blocks_; }
  // Rows of a block.
  uint32_t rows(int64_t block) const;
  // From an operand's element [0, 0, ...] to the block's first row, in elements.
  int64_t offset(int64_t block, size_t operand) const;

  // Whether all rows of an operand start at multiples of `elements`, if the first does.
  bool aligned(size_t operand, int64_t elements) const;

  template <size_t N>
  RowAxes<N> axes() const {
    RowAxes<N> axes;
    for (size_t i = 1; i < kRowAxes; ++i) axes.sizes[i - 1] = inner_size(i);
    for (size_t k = 0; k < N; ++k) {
      for (size_t i = 0; i < kRowAxes; ++i) axes.strides[k][i] = inner_stride(k, i);
    }
    return axes;
  }

 private:
  // Of the i-th of a kernel's axes, outermost first; the ones that are there come first.
  uint64_t inner_size(size_t i) const;
  int64_t inner_stride(size_t operand, size_t i) const;

  CollapsedAxes axes_;
  size_t outer_ = 0;    // axes that the host walks
  int64_t pieces_ = 1;  // that the outermost of a kernel's axes is cut into
  int64_t piece_ = 1;   // its size
  int64_t blocks_ = 1;
};

// A tensor's strides but for that of `axis`, and likewise a shape.
template <typename Values>
Values without_axis(const Values& values, int axis) {
  Values rest;
  for (size_t i = 0; i < values.size(); ++i) {
    if (static_cast<int>(i) != axis) rest.push_back(values[i]);
  }
  return rest;
}

}  // namespace plimsoll::gpu
