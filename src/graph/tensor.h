// What an evaluator sees of an array: where its elements are, without owning them. A task carries tensors by value, so
// that it needs nothing of the graph any more once it is encoded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/array.h"
#include "graph/layout.h"

namespace plimsoll {

struct Tensor {
  std::byte* data = nullptr;  // element [0, 0, ...]; null while scratch is being sized, and for empty arrays
  Dtype dtype = float32;
  Shape shape;
  Strides strides;  // elements
  size_t size = 0;
  size_t data_size = 0;
  array::Flags flags{true, true, true};
  uint64_t home = 0;  // the allocation that the elements lie in, by its first address; for devices that track hazards

  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  int ndim() const { return static_cast<int>(shape.size()); }
  // Negative dimensions count from the end.
  int64_t dim(int axis) const { return shape[axis < 0 ? axis + shape.size() : axis]; }
  int64_t stride(int axis) const { return strides[axis < 0 ? axis + strides.size() : axis]; }
};

}  // namespace plimsoll
