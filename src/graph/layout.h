// How the elements of an array lie in its buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plimsoll/array.h"

namespace plimsoll {

struct Layout {
  Strides strides;       // elements; may be 0 (broadcast) or negative
  int64_t offset = 0;    // bytes to element [0, 0, ...]
  size_t data_size = 0;  // slots from the lowest to the highest element
  array::Flags flags{true, true, true};
};

// Number of elements. Throws std::invalid_argument for a negative dimension or a product beyond 2^63.
size_t element_count(const Shape& shape);

// Row-major strides of a shape.
Strides row_major_strides(const Shape& shape);
Layout row_major_layout(const Shape& shape);

// Row- and column-contiguity of strides, ignoring axes of size 1; `contiguous` is set when the elements fill data_size
// slots: data_size == element count of the axes that are not broadcast.
array::Flags layout_flags(const Shape& shape, const Strides& strides, size_t data_size);

// Slots from the lowest to the highest element of a strided shape: 0 when empty.
size_t strided_extent(const Shape& shape, const Strides& strides);

// Joins neighbouring axes that all operands step through evenly, and drops axes of size 1, so that kernels see as few
// axes as possible. strides[k] belongs to operand k.
struct CollapsedAxes {
  SmallVector<int64_t> shape;
  std::vector<Strides> strides;
};
CollapsedAxes collapse_axes(const Shape& shape, std::span<const Strides> strides);

// Byte distance helper for a flattened index of a strided shape (row-major order), in elements.
int64_t strided_location(int64_t index, const Shape& shape, const Strides& strides);

}  // namespace plimsoll
