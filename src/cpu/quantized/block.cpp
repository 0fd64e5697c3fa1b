// Vector products on packed weights: a few output rows at once hide the latency of the sums; each unit of weights is
// widened in registers and meets every row of x before the next one.
#include "cpu/quantized/block.h"

#include <algorithm>

#include "base/parallel.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quantized/block.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "cpu/quantized/widen-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu::quantized {
namespace HWY_NAMESPACE {

// Scales of a chunk of a row live on the stack: 2,048 values of each row at a time.
inline constexpr int64_t kChunkUnits = 64;

// kRows weight rows against kColumns rows of x. Rows and columns beyond the matrix repeat the last one.
template <class Format, int kRows, int kColumns>
class Tile {
 public:
  Tile(const BlockMatrix& w, const uint8_t* const* rows, const float* const* x) : w_(w), rows_(rows), x_(x) {}

  // sums: [kRows][kColumns]
  void run(float* sums) {
    Accumulators acc;
    PLIMSOLL_UNROLL
    for (int i = 0; i < kRows * kColumns * kChains; ++i) acc.v[i] = hn::Zero(DF());
    const int64_t blocks = w_.values / (kUnit * Format::kUnits);
    for (int64_t first = 0; first < blocks; first += kChunkBlocks) {
      add_chunk(first, std::min(kChunkBlocks, blocks - first), acc);
    }
    PLIMSOLL_UNROLL
    for (int i = 0; i < kRows * kColumns; ++i) {
      VF sum = acc.v[i * kChains];
      if constexpr (kChains == 2) sum = hn::Add(sum, acc.v[i * kChains + 1]);
      sums[i] = hn::GetLane(hn::SumOfLanes(DF(), sum));
    }
  }

 private:
  static constexpr int kChains = kRows * kColumns < 8 ? 2 : 1;  // independent sums per output
  static constexpr int64_t kChunkBlocks = kChunkUnits / Format::kUnits;
  static constexpr int64_t kRowScales = kChunkUnits * Format::kGroups;

  struct Accumulators {
    VF v[kRows * kColumns * kChains];
  };

  // Fills the scales of `count` blocks of every row; returns the distance between rows' scales.
  HWY_INLINE int64_t load_scales(int64_t first, int64_t count) {
    const int64_t row_scales = count * Format::kUnits * Format::kGroups;
    const uint8_t* start = rows_[0] + first * Format::kBytes;
    if (rows_[kRows - 1] - rows_[0] == (kRows - 1) * count * Format::kBytes) {  // whole rows, one after the other
      Format::scales(start, count * kRows, d_, m_);
      return row_scales;
    }
    for (int r = 0; r < kRows; ++r) {
      Format::scales(rows_[r] + first * Format::kBytes, count, d_ + r * row_scales, m_ + r * row_scales);
    }
    return row_scales;
  }

  HWY_INLINE void add_chunk(int64_t first, int64_t count, Accumulators& acc) {
    const int64_t row_scales = load_scales(first, count);
    for (int64_t b = 0; b < count; ++b) {
      for (int u = 0; u < Format::kUnits; ++u) {
        const int64_t unit = b * Format::kUnits + u;
        const int64_t k = (first * Format::kUnits + unit) * kUnit;
        PLIMSOLL_UNROLL
        for (int r = 0; r < kRows; ++r) {
          const int64_t at = r * row_scales + unit * Format::kGroups;
          Unit w;
          Format::widen(rows_[r] + (first + b) * Format::kBytes, u, d_ + at, m_ + at, w);
          add_unit(w, k, r, acc);
        }
      }
    }
  }

  HWY_INLINE void add_unit(const Unit& w, int64_t k, int r, Accumulators& acc) {
    PLIMSOLL_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      PLIMSOLL_UNROLL
      for (int i = 0; i < kVectors; ++i) {
        VF& sum = acc.v[(r * kColumns + c) * kChains + i % kChains];
        sum = hn::MulAdd(w.v[i], hn::LoadU(DF(), x_[c] + k + i * kLanes), sum);
      }
    }
  }

  const BlockMatrix& w_;
  const uint8_t* const* rows_;
  const float* const* x_;
  HWY_ALIGN float d_[kRows * kRowScales];
  HWY_ALIGN float m_[kRows * kRowScales];
};

inline void store(const VectorProduct& p, int64_t m, int64_t n, float value) {
  const int64_t at = m * p.y_stride + n;
  switch (p.y_dtype) {
    case Dtype::Val::float16: static_cast<float16_t*>(p.y)[at] = float16_t(value); return;
    case Dtype::Val::bfloat16: static_cast<bfloat16_t*>(p.y)[at] = bfloat16_t(value); return;
    default: static_cast<float*>(p.y)[at] = value;
  }
}

template <class Format, int kRows, int kColumns>
void multiply_rows(const BlockMatrix& w, const VectorProduct& p, int64_t begin, int64_t end) {
  const float* x[kColumns];
  for (int c = 0; c < kColumns; ++c) x[c] = p.x + std::min<int64_t>(c, p.rows - 1) * p.x_stride;
  const uint8_t* rows[kRows];
  Tile<Format, kRows, kColumns> tile(w, rows, x);
  for (int64_t n = begin; n < end; n += kRows) {
    for (int r = 0; r < kRows; ++r) rows[r] = w.data + std::min(n + r, end - 1) * w.row_bytes;
    float sums[kRows * kColumns];
    tile.run(sums);
    for (int r = 0; r < std::min<int64_t>(kRows, end - n); ++r) {
      for (int c = 0; c < p.rows; ++c) store(p, c, n + r, sums[r * kColumns + c]);
    }
  }
}

template <class Format>
void multiply_format(const BlockMatrix& w, const VectorProduct& p, int64_t begin, int64_t end) {
  if (p.rows == 1) return multiply_rows<Format, 4, 1>(w, p, begin, end);
  if (p.rows == 2) return multiply_rows<Format, 4, 2>(w, p, begin, end);
  if (p.rows <= 4) return multiply_rows<Format, 2, 4>(w, p, begin, end);
  return multiply_rows<Format, 2, 8>(w, p, begin, end);
}

void multiply_range(const BlockMatrix& w, const VectorProduct& p, int64_t begin, int64_t end) {
  with_format(w.format, [&](auto format) HWY_ATTR { multiply_format<decltype(format)>(w, p, begin, end); });
}

template <class Format>
void widen_row(const uint8_t* row, int64_t blocks, float* out) {
  constexpr int kGroups = Format::kUnits * Format::kGroups;
  constexpr int64_t kBatch = kChunkUnits / Format::kUnits;
  HWY_ALIGN float d[kBatch * kGroups], m[kBatch * kGroups];
  for (int64_t first = 0; first < blocks; first += kBatch) {
    const int64_t count = std::min(kBatch, blocks - first);
    Format::scales(row + first * Format::kBytes, count, d, m);
    for (int64_t b = 0; b < count; ++b) {
      for (int u = 0; u < Format::kUnits; ++u, out += kUnit) {
        const int64_t at = b * kGroups + u * Format::kGroups;
        Unit w;
        Format::widen(row + (first + b) * Format::kBytes, u, d + at, m + at, w);
        PLIMSOLL_UNROLL
        for (int i = 0; i < kVectors; ++i) hn::StoreU(w.v[i], DF(), out + i * kLanes);
      }
    }
  }
}

void widen_range(const BlockMatrix& w, int64_t row0, int64_t rows, float* out, int64_t stride) {
  with_format(w.format, [&](auto format) HWY_ATTR {
    const int64_t blocks = w.values / (kUnit * decltype(format)::kUnits);
    for (int64_t r = 0; r < rows; ++r) {
      widen_row<decltype(format)>(w.data + (row0 + r) * w.row_bytes, blocks, out + r * stride);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu::quantized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu::quantized {

HWY_EXPORT(multiply_range);
HWY_EXPORT(widen_range);

namespace {

// Weights that a thread should have at least, so that starting it pays.
constexpr int64_t kGrainValues = 1 << 15;

}  // namespace

void vector_product(const BlockMatrix& w, const VectorProduct& p) {
  const int64_t grain = std::max<int64_t>(8, kGrainValues / std::max<int64_t>(w.values, 1));
  base::parallel_for(w.rows, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(multiply_range)(w, p, begin, end);
  });
}

void widen_rows(const BlockMatrix& w, int64_t row0, int64_t rows, float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(widen_range)(w, row0, rows, out, stride);
}

}  // namespace plimsoll::cpu::quantized
#endif  // HWY_ONCE
