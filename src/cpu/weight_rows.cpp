#include "cpu/weight_rows.h"

#include <algorithm>

#include "base/parallel.h"
#include "cpu/bfloat16_product.h"
#include "cpu/panel.h"
#include "cpu/strided_panels.h"

namespace plimsoll::cpu {
namespace {

class WidenedRows final : public PanelSource<float> {
 public:
  explicit WidenedRows(const WeightRows& w) : w_(w) {}

  void fill_rows(int64_t first, int64_t count, float* out, int64_t stride) const override {
    w_.widen(first, count, out, stride);
  }

 private:
  const WeightRows& w_;
};

size_t padded_bytes(int64_t floats) { return static_cast<size_t>((floats + 15) / 16 * 16) * sizeof(float); }

// x as float32 rows contiguous in k: where it lies, or in scratch.
RowDot dot_of(const WeightProduct& p, int64_t K, float* scratch) {
  RowDot dot{static_cast<const float*>(p.x.data), p.x.row_stride, p.M, p.y, p.y_stride, p.y_column_stride, p.y_dtype};
  if (p.x.dtype.val() == Dtype::Val::float32 && (p.x.column_stride == 1 || K == 1)) return dot;
  StridedSource<float>::rows(p.x, K).fill_rows(0, p.M, scratch, K);
  dot.x = scratch;
  dot.x_stride = K;
  return dot;
}

}  // namespace

void DenseWeightRows::widen(int64_t first, int64_t count, float* out, int64_t stride) const {
  for (int64_t i = 0; i < count; ++i) {
    widen_row(element_at(w_.data, w_.dtype, (first + i) * w_.row_stride), w_.dtype, K, out + i * stride);
  }
}

bool takes_bfloat16_panels(int64_t M, Dtype x_dtype) {
  return M > kDotRows && x_dtype == bfloat16 && prefers_bfloat16_products();
}

size_t weight_product_scratch_bytes(int64_t M, int64_t N, int64_t K, Dtype x_dtype) {
  if (takes_bfloat16_panels(M, x_dtype)) return bfloat16_panels_scratch_bytes(M, N, K);
  return M <= kDotRows ? padded_bytes(M * K) : blocked_scratch_bytes<float>(N, M, K);
}

void multiply_weights(const WeightRows& w, const WeightProduct& p, void* scratch) {
  if (p.M == 0 || w.N == 0) return;
  if (p.M <= kDotRows) return w.dot(dot_of(p, w.K, static_cast<float*>(scratch)));
  if (takes_bfloat16_panels(p.M, p.x.dtype)) return multiply_bfloat16_panels(w, p, scratch);
  const WidenedRows rows(w);
  const auto lanes = StridedSource<float>::rows(p.x, w.K);
  const RowSink<float> sink(p.y, p.y_dtype, p.y_stride);
  multiply_blocked<float>({&rows, w.N, &lanes, p.M, w.K, true, &sink}, scratch);
}

size_t weight_transposed_scratch_bytes(int64_t M, int64_t N, int64_t K) {
  return padded_bytes(N * K) + blocked_scratch_bytes<float>(M, K, N);
}

void multiply_weights_transposed(const WeightRows& w, const WeightProduct& p, void* scratch) {
  if (p.M == 0 || w.K == 0) return;
  float* widened = static_cast<float*>(scratch);
  base::parallel_for(w.N, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, w.K)),
                     [&](int64_t begin, int64_t end) { w.widen(begin, end - begin, widened + begin * w.K, w.K); });
  const auto rows = StridedSource<float>::rows(p.x, w.N);
  const StridedSource<float> lanes(widened, float32, w.N, 1, w.K);
  const RowSink<float> sink(p.y, p.y_dtype, p.y_stride);
  multiply_blocked<float>({&rows, p.M, &lanes, w.K, w.N, false, &sink},
                          static_cast<std::byte*>(scratch) + padded_bytes(w.N * w.K));
}

}  // namespace plimsoll::cpu
