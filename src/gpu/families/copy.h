// Copies between strided layouts, whatever the dtype: elements are moved as bytes. What views, slices and joins are
// made of.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/launch.h"

namespace plimsoll::gpu {

// Stages the copy of all elements of `source` to `target`, of the same shape and item size, which share no byte.
void stage_copy(Task& task, const Tensor& source, const Tensor& target);

// A slice whose start is read from an array: one integer for each of `axes`, clamped so that the slice fits.
struct DynamicStart {
  const Tensor& start;
  std::span<const int> axes;
};

// Copies the slice of `source` with the target's shape that starts there.
void stage_copy_from(Task& task, const DynamicStart& at, const Tensor& source, const Tensor& target);

// Copies `source` over the slice of `target` that starts there.
void stage_copy_to(Task& task, const DynamicStart& at, const Tensor& source, const Tensor& target);

// The elements of `tensor` from the one `first` elements after [0, 0, ...] on, with a shape and strides of their own.
Tensor part_of(const Tensor& tensor, int64_t first, const Shape& shape, const Strides& strides);

}  // namespace plimsoll::gpu
