// SIMD kernels of the element-by-element functions of two contiguous float32 operands.
#pragma once

#include <cstdint>

#include "graph/ops/binary.h"

namespace plimsoll::cpu {

// pre: !is_comparison(kind). `out` may be `a` or `b`.
void binary_float(BinaryKind kind, const float* a, const float* b, float* out, int64_t count);

}  // namespace plimsoll::cpu
