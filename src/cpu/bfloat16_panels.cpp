// Products of weights with many bfloat16 rows: a panel of weights at a time is widened, rounded to bfloat16 and
// multiplied while the caches still hold it.
#include <algorithm>

#include "base/parallel.h"
#include "cpu/bfloat16_product.h"
#include "cpu/float_rows.h"
#include "cpu/strided_panels.h"
#include "cpu/weight_rows.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kPanelRows = 1024;

size_t padded(int64_t bytes) { return static_cast<size_t>((bytes + 63) / 64 * 64); }

// How the scratch is divided.
struct Layout {
  Layout(int64_t M, int64_t N, int64_t K)
      : panel_rows(std::clamp<int64_t>(N, 1, kPanelRows)),
        x(padded(2 * M * K)),
        panel(padded(2 * panel_rows * K)),
        row(padded(4 * K)),
        threads(base::num_threads()) {}

  std::byte* panel_at(void* scratch) const { return static_cast<std::byte*>(scratch) + x; }
  std::byte* row_at(void* scratch, int64_t thread) const { return panel_at(scratch) + panel + thread * row; }
  std::byte* product_at(void* scratch) const { return row_at(scratch, threads); }
  size_t bytes() const { return x + panel + static_cast<size_t>(threads) * row; }

  int64_t panel_rows;
  size_t x, panel, row;
  int64_t threads;
};

Bfloat16Product shape_of(int64_t M, int64_t rows, int64_t K, int64_t y_stride, Dtype y_dtype) {
  return {M, rows, K, K, K, y_stride, y_dtype};
}

// x with contiguous rows: where it lies, or in scratch.
const void* contiguous_rows(const MatrixView& x, int64_t M, int64_t K, const Layout& layout, void* scratch) {
  if (x.column_stride == 1 && x.row_stride == K) return x.data;
  base::parallel_for(layout.threads, 1, [&](int64_t begin, int64_t end) {
    auto* row = reinterpret_cast<float*>(layout.row_at(scratch, begin));
    for (int64_t m = begin * M / layout.threads; m < end * M / layout.threads; ++m) {
      StridedSource<float>::rows(x, K).fill_rows(m, 1, row, K);
      narrow_row(row, K, bfloat16, static_cast<bfloat16_t*>(scratch) + m * K);
    }
  });
  return scratch;
}

void fill_panel(const WeightRows& w, int64_t first, int64_t rows, const Layout& layout, void* scratch) {
  auto* panel = reinterpret_cast<bfloat16_t*>(layout.panel_at(scratch));
  base::parallel_for(layout.threads, 1, [&](int64_t begin, int64_t end) {
    auto* row = reinterpret_cast<float*>(layout.row_at(scratch, begin));
    for (int64_t n = begin * rows / layout.threads; n < end * rows / layout.threads; ++n) {
      w.widen(first + n, 1, row, w.K);
      narrow_row(row, w.K, bfloat16, panel + n * w.K);
    }
  });
}

}  // namespace

size_t bfloat16_panels_scratch_bytes(int64_t M, int64_t N, int64_t K) {
  const Layout layout(M, N, K);
  size_t product = 0;
  for (const int64_t rows : {layout.panel_rows, N % layout.panel_rows}) {
    if (rows > 0) product = std::max(product, bfloat16_scratch_bytes(shape_of(M, rows, K, N, bfloat16)));
  }
  return layout.bytes() + product;
}

void multiply_bfloat16_panels(const WeightRows& w, const WeightProduct& p, void* scratch) {
  const Layout layout(p.M, w.N, w.K);
  const void* x = contiguous_rows(p.x, p.M, w.K, layout, scratch);
  for (int64_t first = 0; first < w.N; first += layout.panel_rows) {
    const int64_t rows = std::min(layout.panel_rows, w.N - first);
    fill_panel(w, first, rows, layout, scratch);
    void* y = static_cast<std::byte*>(p.y) + first * p.y_dtype.size();
    multiply_bfloat16(shape_of(p.M, rows, w.K, p.y_stride, p.y_dtype), x, layout.panel_at(scratch), y,
                      layout.product_at(scratch));
  }
}

}  // namespace plimsoll::cpu
