// Copies between strided layouts of one shape, whatever the dtype: elements are moved as bytes.
#pragma once

#include <cstddef>

#include "graph/layout.h"
#include "graph/tensor.h"

namespace plimsoll::cpu {

// Strides in elements of `itemsize` bytes (1, 2, 4 or 8). Source and destination do not overlap.
void copy_strided(const std::byte* source, const Strides& source_strides, std::byte* destination,
                  const Strides& destination_strides, const Shape& shape, size_t itemsize);

// Copies all elements of `source` to `destination`, of the same dtype and shape.
void copy_tensor(const Tensor& source, const Tensor& destination);

}  // namespace plimsoll::cpu
