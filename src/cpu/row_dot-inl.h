// Products of a few rows of x with rows of packed weights. A few weight rows at once hide the latency of the sums; each
// unit of 32 weights is widened in registers and meets every row of x before the next one.
//
// Weights is a class with
//   kUnits                            units in a block: the step in which scales are loaded
//   kBlockBytes                       bytes of a block
//   kGroups                           scales (d and m) for each unit
//   row(n)                            address of row n
//   scales<kRows>(rows, first, count, d, m)   scales of `count` blocks from block `first` on for row numbers
//   rows[0..kRows);
//                                     row r's begin at r * count * kUnits * kGroups; kLanes more may be overwritten
//   block_at(row, block)              address of a block of a row
//   widen(row, block, unit, d, m, w)  the 32 values of a unit of a block; d and m point at its own

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_ROW_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_ROW_DOT_INL_H_
#undef PLIMSOLL_CPU_ROW_DOT_INL_H_
#else
#define PLIMSOLL_CPU_ROW_DOT_INL_H_
#endif

#include <algorithm>

#include "cpu/row_dot.h"
#include "cpu/unroll.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using VF = hn::Vec<DF>;

inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));
inline constexpr int kVectors = static_cast<int>(kUnit) / kLanes;  // vectors in a unit

struct Unit {
  VF v[kVectors];
};

// The sums of the lanes of four vectors, together: fewer shuffles than one after the other.
HWY_INLINE void sum_lanes(const VF* v, float* sums) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 4; ++i) sums[i] = hn::GetLane(v[i]);
#else
  const DF d;
  const hn::RepartitionToWide<DF> pairs;
  const auto ab = hn::Add(hn::InterleaveLower(d, v[0], v[1]), hn::InterleaveUpper(d, v[0], v[1]));
  const auto cd = hn::Add(hn::InterleaveLower(d, v[2], v[3]), hn::InterleaveUpper(d, v[2], v[3]));
  const auto left = hn::InterleaveLower(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd));
  const auto right = hn::InterleaveUpper(pairs, hn::BitCast(pairs, ab), hn::BitCast(pairs, cd));
  const auto blocks = hn::Add(hn::BitCast(d, left), hn::BitCast(d, right));  // a b c d in every 4 lanes
  HWY_ALIGN float partial[kLanes];
  hn::Store(blocks, d, partial);
  const hn::Full128<float> quad;
  auto total = hn::Load(quad, partial);
  PLIMSOLL_UNROLL
  for (int i = 4; i < kLanes; i += 4) total = hn::Add(total, hn::Load(quad, partial + i));
  hn::StoreU(total, quad, sums);
#endif
}

// Scales of a chunk of a row live on the stack: 2,048 values of each row at a time.
inline constexpr int64_t kChunkUnits = 64;

// kRows weight rows against kColumns rows of x; their product is a multiple of 4.
template <class Weights, int kRows, int kColumns>
class DotTile {
 public:
  DotTile(const Weights& weights, int64_t units, const float* const* x)
      : weights_(weights), units_(units), x_(x), ahead_(kRows * (weights.row(1) - weights.row(0))) {
    while (ahead_ > 0 && ahead_ < kAheadBytes) ahead_ *= 2;
  }

  // sums[r * kColumns + c] = <row rows[r], x[c]> over whole units.
  void run(const int64_t* rows, float* sums) {
    Accumulators acc;
    PLIMSOLL_UNROLL
    for (int i = 0; i < kRows * kColumns * kChains; ++i) acc.v[i] = hn::Zero(DF());
    const int64_t blocks = units_ / Weights::kUnits;
    for (int64_t first = 0; first < blocks; first += kChunkBlocks) {
      add_chunk(rows, first, std::min(kChunkBlocks, blocks - first), acc);
    }
    PLIMSOLL_UNROLL
    for (int i = 0; i < kRows * kColumns; i += 4) {
      VF four[4];
      PLIMSOLL_UNROLL
      for (int j = 0; j < 4; ++j) {
        four[j] = acc.v[(i + j) * kChains];
        if constexpr (kChains == 2) four[j] = hn::Add(four[j], acc.v[(i + j) * kChains + 1]);
      }
      sum_lanes(four, sums + i);
    }
  }

 private:
  static constexpr int kChains = kRows * kColumns < 8 ? 2 : 1;  // independent sums per output
  static constexpr int64_t kChunkBlocks = kChunkUnits / Weights::kUnits;
  static constexpr int64_t kAheadBytes = 2048;
  static constexpr int64_t kRowScales = kChunkUnits * Weights::kGroups;

  struct Accumulators {
    VF v[kRows * kColumns * kChains];
  };

  HWY_INLINE void add_chunk(const int64_t* rows, int64_t first, int64_t count, Accumulators& acc) {
    weights_.template scales<kRows>(rows, first, count, d_, m_);
    const int64_t row_scales = count * Weights::kUnits * Weights::kGroups;
    const uint8_t* at[kRows];
    PLIMSOLL_UNROLL
    for (int r = 0; r < kRows; ++r) at[r] = weights_.row(rows[r]);
    for (int64_t b = 0; b < count; ++b) {
      PLIMSOLL_UNROLL
      for (int r = 0; r < kRows; ++r) fetch_ahead(weights_.block_at(at[r], first + b));
      for (int u = 0; u < Weights::kUnits; ++u) {
        const int64_t unit = b * Weights::kUnits + u;
        const int64_t k = (first * Weights::kUnits + unit) * kUnit;
        PLIMSOLL_UNROLL
        for (int r = 0; r < kRows; ++r) {
          const int64_t scale = r * row_scales + unit * Weights::kGroups;
          Unit w;
          weights_.widen(at[r], first + b, u, d_ + scale, m_ + scale, w);
          add_unit(w, k, r, acc);
        }
      }
    }
  }

  // The processor's own prefetching starts anew with every few rows, which are short.
  HWY_INLINE void fetch_ahead(const uint8_t* block) const {
    PLIMSOLL_UNROLL
    for (int64_t i = 0; i < Weights::kBlockBytes; i += 64) hwy::Prefetch(block + ahead_ + i);
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

  const Weights& weights_;
  const int64_t units_;
  const float* const* x_;
  int64_t ahead_;  // bytes to the same place of rows to come
  HWY_ALIGN float d_[kRows * kRowScales + kLanes];
  HWY_ALIGN float m_[kRows * kRowScales + kLanes];
};

// Outputs of weight rows [begin, end). Rows and columns beyond the matrix repeat the last one; `tail(row, c)` is the
// part of a sum beyond the last whole unit.
template <int kRows, int kColumns, class Weights, class Tail>
void dot_rows(const Weights& weights, int64_t units, const RowDot& p, int64_t begin, int64_t end, const Tail& tail) {
  const float* x[kColumns];
  for (int c = 0; c < kColumns; ++c) x[c] = p.x + std::min<int64_t>(c, p.rows - 1) * p.x_stride;
  DotTile<Weights, kRows, kColumns> tile(weights, units, x);
  for (int64_t n = begin; n < end; n += kRows) {
    int64_t rows[kRows];
    for (int r = 0; r < kRows; ++r) rows[r] = std::min(n + r, end - 1);
    float sums[kRows * kColumns];
    tile.run(rows, sums);
    for (int r = 0; r < std::min<int64_t>(kRows, end - n); ++r) {
      for (int c = 0; c < p.rows; ++c) store_dot(p, c, n + r, sums[r * kColumns + c] + tail(n + r, c));
    }
  }
}

template <class Weights, class Tail>
void dot_range(const Weights& weights, int64_t units, const RowDot& p, int64_t begin, int64_t end, const Tail& tail) {
  if (p.rows == 1) return dot_rows<4, 1>(weights, units, p, begin, end, tail);
  if (p.rows == 2) return dot_rows<4, 2>(weights, units, p, begin, end, tail);
  if (p.rows <= 4) return dot_rows<2, 4>(weights, units, p, begin, end, tail);
  return dot_rows<2, 8>(weights, units, p, begin, end, tail);
}

struct NoTail {
  float operator()(int64_t, int64_t) const { return 0.0f; }
};

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // PLIMSOLL_CPU_ROW_DOT_INL_H_
