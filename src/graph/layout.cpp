#include "graph/layout.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace plimsoll {

size_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (const ShapeElem dim : shape) {
    if (dim < 0) throw std::invalid_argument("[array] dimension " + std::to_string(dim) + " is negative");
    if (__builtin_mul_overflow(count, static_cast<int64_t>(dim), &count)) {
      throw std::invalid_argument("[array] the shape has more than 2^63 elements");
    }
  }
  return static_cast<size_t>(count);
}

Strides row_major_strides(const Shape& shape) {
  Strides strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

Layout row_major_layout(const Shape& shape) {
  Layout layout;
  layout.strides = row_major_strides(shape);
  layout.data_size = element_count(shape);
  layout.flags = layout_flags(shape, layout.strides, layout.data_size);
  return layout;
}

array::Flags layout_flags(const Shape& shape, const Strides& strides, size_t data_size) {
  array::Flags flags{true, true, true};
  int64_t row_step = 1;
  int64_t column_step = 1;
  size_t distinct = 1;  // elements in different slots
  for (size_t i = 0, last = shape.size(); i < last; ++i) {
    const size_t j = last - 1 - i;
    flags.row_contiguous &= shape[j] == 1 || strides[j] == row_step;
    flags.col_contiguous &= shape[i] == 1 || strides[i] == column_step;
    row_step *= shape[j];
    column_step *= shape[i];
    // A reversed axis has its gaps filled too, but element order then runs against slot order for kernels that walk
    // slots, so it does not count as contiguous.
    if (strides[i] < 0 && shape[i] > 1) flags.contiguous = false;
    if (strides[i] != 0) distinct *= static_cast<size_t>(shape[i]);
  }
  flags.contiguous = flags.contiguous && data_size == distinct;
  if (element_count(shape) == 0) return {true, true, true};
  return flags;
}

size_t strided_extent(const Shape& shape, const Strides& strides) {
  size_t extent = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return 0;
    const int64_t step = strides[i] < 0 ? -strides[i] : strides[i];
    extent += static_cast<size_t>(step) * static_cast<size_t>(shape[i] - 1);
  }
  return extent;
}

CollapsedAxes collapse_axes(const Shape& shape, std::span<const Strides> strides) {
  CollapsedAxes out;
  out.strides.resize(strides.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    bool joins = !out.shape.empty();
    for (size_t k = 0; joins && k < strides.size(); ++k) {
      joins = out.strides[k].back() == strides[k][axis] * shape[axis];
    }
    if (joins) {
      out.shape.back() *= shape[axis];
      for (size_t k = 0; k < strides.size(); ++k) out.strides[k].back() = strides[k][axis];
    } else {
      out.shape.push_back(shape[axis]);
      for (size_t k = 0; k < strides.size(); ++k) out.strides[k].push_back(strides[k][axis]);
    }
  }
  if (out.shape.empty()) {
    out.shape.push_back(1);
    for (Strides& s : out.strides) s.push_back(1);
  }
  return out;
}

int64_t strided_location(int64_t index, const Shape& shape, const Strides& strides) {
  int64_t location = 0;
  for (size_t i = shape.size(); i-- > 0;) {
    location += (index % shape[i]) * strides[i];
    index /= shape[i];
  }
  return location;
}

}  // namespace plimsoll
