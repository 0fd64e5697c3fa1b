// Operations that work on rows along the last axis.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// Plan of an operation that maps rows of input 0 to rows of an output of its shape: as plan_elementwise where the rows
// are contiguous (so that a transposed view stays transposed and its buffer can be taken over), else row-major.
void plan_rows(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans);

namespace ops {

// The dtype in which gradients of half types are computed: float64 for float64, else float32.
inline Dtype wide_dtype(Dtype dtype) { return dtype == float64 ? float64 : float32; }

}  // namespace ops
}  // namespace plimsoll
