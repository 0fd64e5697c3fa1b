// Products with weights in GGUF's block formats, and their widening. Nothing here allocates: scratch is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/dtype.h"
#include "plimsoll/quantized.h"

namespace plimsoll::cpu::quantized {

// Weights [rows, values] of one format; a row is values / block_values(format) blocks.
struct BlockMatrix {
  const uint8_t* data;
  BlockFormat format;
  int64_t rows;
  int64_t values;     // a multiple of the format's block
  int64_t row_bytes;  // distance of rows; at least the bytes of a row
};

// Products with at most this many rows of x run on the packed weights; others widen panels of weights first.
inline constexpr int64_t kVectorRows = 8;

// y[m, n] = sum_k x[m, k] * w[n, k] for 1 <= rows <= kVectorRows, straight on the packed weights. The order of summation
// depends on K alone. x: float32, row stride in elements; y: float32 or 16-bit, row-major with stride.
struct VectorProduct {
  const float* x;
  int64_t x_stride;
  int64_t rows;
  void* y;
  int64_t y_stride;
  Dtype y_dtype;
};
void vector_product(const BlockMatrix& w, const VectorProduct& p);

// Widens rows [row0, row0 + rows), columns [0, values), to float32 rows `stride` apart.
void widen_rows(const BlockMatrix& w, int64_t row0, int64_t rows, float* out, int64_t stride);

}  // namespace plimsoll::cpu::quantized
