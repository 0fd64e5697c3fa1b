// Conversion of short rows between float32 and the 16-bit types.
#pragma once

#include <cstdint>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

// out[i] = src[i]; dtype of src: float32, float16 or bfloat16.
void widen_row(const void* src, Dtype dtype, int64_t count, float* out);

// out[i] = src[i] rounded to nearest even; dtype of out: float32, float16 or bfloat16.
void narrow_row(const float* src, int64_t count, Dtype dtype, void* out);

}  // namespace plimsoll::cpu
