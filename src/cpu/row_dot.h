// y = x @ W.T for a few rows of x, straight on rows of weights as they are stored: what decoding spends its time on.
// Bound by memory: every weight is read once, whatever the number of rows.
#pragma once

#include <cstdint>

#include "plimsoll/dtype.h"
#include "base/parallel.h"
#include "cpu/gemm.h"

namespace plimsoll::cpu {

// Weights are taken in units of this many values.
inline constexpr int64_t kUnit = 32;

// Products with at most this many rows of x run this way; more rows go through the blocked product.
inline constexpr int64_t kDotRows = 8;

// y[m, n] = sum_k x[m, k] w[n, k] for m < rows <= kDotRows. The order of summation depends on K and the instruction set
// alone. x: float32, strides in elements; y: float32, float16 or bfloat16.
struct RowDot {
  const float* x;
  int64_t x_stride;
  int64_t rows;
  void* y;
  int64_t y_stride;
  int64_t y_column_stride;
  Dtype y_dtype;
};

inline void store_dot(const RowDot& p, int64_t m, int64_t n, float value) {
  const int64_t at = m * p.y_stride + n * p.y_column_stride;
  switch (p.y_dtype) {
    case Dtype::Val::float16:
      static_cast<float16_t*>(p.y)[at] = float16_t(value);
      return;
    case Dtype::Val::bfloat16:
      static_cast<bfloat16_t*>(p.y)[at] = bfloat16_t(value);
      return;
    default:
      static_cast<float*>(p.y)[at] = value;
  }
}

// Rows of weights that a thread should have at least, so that starting it pays.
inline int64_t dot_grain(int64_t K) { return (1 << 15) / (K + 1) / 4 * 4 + 8; }

// Dense weights [N, K] of float32, float16 or bfloat16, contiguous in k, `row_stride` elements apart.
struct DenseRows {
  const void* data;
  Dtype dtype;
  int64_t N;
  int64_t K;
  int64_t row_stride;
};
void dot_dense(const DenseRows& w, const RowDot& p);

}  // namespace plimsoll::cpu
