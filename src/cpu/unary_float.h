// SIMD kernels of the element-by-element functions on contiguous float32. `out` may be `in`.
#pragma once

#include <cstdint>

#include "graph/ops/unary.h"

namespace plimsoll::cpu {

// Every kind that a float32 operand can have.
void unary_float(UnaryKind kind, const float* in, float* out, int64_t count);

}  // namespace plimsoll::cpu
