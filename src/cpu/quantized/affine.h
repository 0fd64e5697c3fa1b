// Products with MLX's affine quantization, and the quantization itself. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/row_dot.h"

namespace plimsoll::cpu::quantized {

// Weights [rows, values]: value = scale * q + bias, q an unsigned integer of `bits` (2, 3, 4, 5, 6 or 8) bits. A row is
// a stream of such integers, lowest bits first; scale and bias hold for `group` (32, 64 or 128) consecutive values.
struct AffineMatrix {
  const uint8_t* data;
  const void* scales;  // [rows, values / group]
  const void* biases;
  Dtype scale_dtype = float32;  // of scales and biases: float32, float16 or bfloat16
  int bits;
  int group;
  int64_t rows;
  int64_t values;            // a multiple of the group
  int64_t row_bytes;         // distance of rows of data
  int64_t scale_row_stride;  // elements
};

// y = x @ w.T for a few rows of x, straight on the packed weights.
void dot_affine(const AffineMatrix& w, const RowDot& p);

// Widens rows [first, first + count) to float32 rows `stride` apart.
void widen_affine(const AffineMatrix& w, int64_t first, int64_t count, float* out, int64_t stride);

// Quantizes one row of `values` float32 numbers: packed integers, and scale and bias of each group in float32. Each
// group's end of larger magnitude is exactly representable, as in MLX.
void quantize_affine_row(const float* values, int64_t count, int bits, int group, uint8_t* packed, float* scales,
                         float* biases);

}  // namespace plimsoll::cpu::quantized
