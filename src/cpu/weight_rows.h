// y = x @ W.T for weights that are stored in rows of any kind: straight on the rows when x has few, through panels
// widened to float32 when it has many.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/gemm.h"
#include "cpu/row_dot.h"

namespace plimsoll::cpu {

// Weights [N, K] that know how to multiply a few rows of x, and how to widen themselves.
class WeightRows {
 public:
  WeightRows(int64_t rows, int64_t values) : N(rows), K(values) {}
  virtual ~WeightRows() = default;

  virtual void dot(const RowDot& p) const = 0;
  // Rows [first, first + count) as float32, `stride` apart. Any thread; disjoint calls may run at once.
  virtual void widen(int64_t first, int64_t count, float* out, int64_t stride) const = 0;

  const int64_t N;
  const int64_t K;
};

// Dense rows of float32, float16 or bfloat16.
class DenseWeightRows final : public WeightRows {
 public:
  explicit DenseWeightRows(const DenseRows& w) : WeightRows(w.N, w.K), w_(w) {}
  void dot(const RowDot& p) const override { dot_dense(w_, p); }
  void widen(int64_t first, int64_t count, float* out, int64_t stride) const override;

 private:
  DenseRows w_;
};

// y [M, N]: float32, float16 or bfloat16. x [M, K]: any of these.
struct WeightProduct {
  int64_t M;
  MatrixView x;
  void* y;
  Dtype y_dtype;
  int64_t y_stride;             // elements, from row to row
  int64_t y_column_stride = 1;  // other than 1 only for M <= kDotRows
};

size_t weight_product_scratch_bytes(int64_t M, int64_t N, int64_t K, Dtype x_dtype = float32);
void multiply_weights(const WeightRows& w, const WeightProduct& p, void* scratch);

// The same for bfloat16 x with many rows, through panels of weights rounded to bfloat16 and oneDNN's product: what
// multiply_weights does where takes_bfloat16_panels(). y must not be float16. Runs on the whole team.
bool takes_bfloat16_panels(int64_t M, Dtype x_dtype);
size_t bfloat16_panels_scratch_bytes(int64_t M, int64_t N, int64_t K);
void multiply_bfloat16_panels(const WeightRows& w, const WeightProduct& p, void* scratch);

// y [M, K] = x [M, N] @ W: the product with the same weights that gradients need. The weights are widened whole, a
// range of rows at a time.
size_t weight_transposed_scratch_bytes(int64_t M, int64_t N, int64_t K);
void multiply_weights_transposed(const WeightRows& w, const WeightProduct& p, void* scratch);

}  // namespace plimsoll::cpu
