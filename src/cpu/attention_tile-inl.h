// The inner loops of attention over a panel: `kVectors` vectors of query rows, one row per lane. Compiled once per
// target.
//
// Panel matrices have one row of kVectors vectors for each key (scores) or column (queries, sums).

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_ATTENTION_TILE_INL_H_
#undef PLIMSOLL_CPU_ATTENTION_TILE_INL_H_
#else
#define PLIMSOLL_CPU_ATTENTION_TILE_INL_H_
#endif

#include <limits>

#include "cpu/math-inl.h"
#include "cpu/unroll.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename C>
using Lanes = hn::ScalableTag<C>;

// Rows of a register block: with 32 vector registers 8 rows of 3 vectors, with 16 registers 4.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_ARCH_ARM_A64
inline constexpr int kBlockRows = 8;
#else
inline constexpr int kBlockRows = 4;
#endif
inline constexpr int kMaxVectors = 3;

template <typename C>
inline constexpr C kNoScore = -std::numeric_limits<C>::infinity();

// e^x for x <= 0, to zero where e^x is below the normal range. Keeps NaN.
template <class D, class V>
HWY_INLINE V exp_of_negative(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return exp(d, x);
  } else {
    const hn::RebindToSigned<D> di;
    const V lowest = hn::Set(d, -87.0f);
    const auto below = hn::Lt(x, lowest);
    const V clamped = hn::IfThenElse(below, lowest, x);
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    const V magic = hn::Set(d, 0x1.8p23f);
    const V shifted = hn::MulAdd(clamped, hn::Set(d, math::kLog2E), magic);
    const V count = hn::Sub(shifted, magic);
    const V high = hn::NegMulAdd(count, hn::Set(d, math::kLn2High), clamped);
    const V r = hn::NegMulAdd(count, hn::Set(d, math::kLn2Low), high);
    const V fraction = hn::Add(hn::Set(d, 1.0f), expm1_reduced(d, r));
    const auto scaled = hn::Add(hn::BitCast(di, fraction), hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
    // An exponent added to a NaN may make it a number.
    return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenZeroElse(below, hn::BitCast(d, scaled)));
  }
}

// scores[j] = sum over c of keys[j][c] * queries[c], for kRows keys.
template <int kRows, int kVectors, typename C>
HWY_INLINE void score_rows(const C* HWY_RESTRICT keys, int64_t key_stride, const C* HWY_RESTRICT queries, int64_t dim,
                           C* HWY_RESTRICT scores) {
  const Lanes<C> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<C>> sums[kRows][kVectors];
  PLIMSOLL_UNROLL
  for (int j = 0; j < kRows; ++j) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[j][v] = hn::Zero(d);
  }
  for (int64_t c = 0; c < dim; ++c) {
    hn::Vec<Lanes<C>> query[kVectors];
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) query[v] = hn::LoadU(d, queries + (c * kVectors + v) * lanes);
    PLIMSOLL_UNROLL
    for (int j = 0; j < kRows; ++j) {
      const auto key = hn::Set(d, keys[j * key_stride + c]);
      PLIMSOLL_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[j][v] = hn::MulAdd(key, query[v], sums[j][v]);
    }
  }
  PLIMSOLL_UNROLL
  for (int j = 0; j < kRows; ++j) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[j][v], d, scores + (j * kVectors + v) * lanes);
  }
}

// sums[c] = keep * sums[c] + sum over j of values[j][c] * weights[j], for kRows columns c.
template <int kRows, int kVectors, typename C>
HWY_INLINE void value_columns(const C* HWY_RESTRICT values, int64_t value_stride, const C* HWY_RESTRICT weights,
                              int64_t keys, const C* HWY_RESTRICT keep, C* HWY_RESTRICT sums) {
  const Lanes<C> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<C>> total[kRows][kVectors];
  PLIMSOLL_UNROLL
  for (int c = 0; c < kRows; ++c) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      total[c][v] = hn::Mul(hn::LoadU(d, keep + v * lanes), hn::LoadU(d, sums + (c * kVectors + v) * lanes));
    }
  }
  for (int64_t j = 0; j < keys; ++j) {
    hn::Vec<Lanes<C>> weight[kVectors];
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) weight[v] = hn::LoadU(d, weights + (j * kVectors + v) * lanes);
    PLIMSOLL_UNROLL
    for (int c = 0; c < kRows; ++c) {
      const auto value = hn::Set(d, values[j * value_stride + c]);
      PLIMSOLL_UNROLL
      for (int v = 0; v < kVectors; ++v) total[c][v] = hn::MulAdd(value, weight[v], total[c][v]);
    }
  }
  PLIMSOLL_UNROLL
  for (int c = 0; c < kRows; ++c) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) hn::StoreU(total[c][v], d, sums + (c * kVectors + v) * lanes);
  }
}

// Scores of `count` keys [count, dim].
template <int kVectors, typename C>
HWY_NOINLINE void score_tile(const C* keys, int64_t key_stride, int64_t count, const C* queries, int64_t dim,
                             C* scores) {
  const int64_t width = kVectors * static_cast<int64_t>(hn::Lanes(Lanes<C>()));
  int64_t j = 0;
  for (; j + kBlockRows <= count; j += kBlockRows) {
    score_rows<kBlockRows, kVectors>(keys + j * key_stride, key_stride, queries, dim, scores + j * width);
  }
  for (; j < count; ++j) score_rows<1, kVectors>(keys + j * key_stride, key_stride, queries, dim, scores + j * width);
}

// Adds the weighted values [count, dim] of a tile to the sums, after scaling those by `keep`.
template <int kVectors, typename C>
HWY_NOINLINE void value_tile(const C* values, int64_t value_stride, int64_t count, const C* weights, int64_t dim,
                             const C* keep, C* sums) {
  const int64_t width = kVectors * static_cast<int64_t>(hn::Lanes(Lanes<C>()));
  int64_t c = 0;
  for (; c + kBlockRows <= dim; c += kBlockRows) {
    value_columns<kBlockRows, kVectors>(values + c, value_stride, weights, count, keep, sums + c * width);
  }
  for (; c < dim; ++c) value_columns<1, kVectors>(values + c, value_stride, weights, count, keep, sums + c * width);
}

// Turns the scores of `count` keys into weights e^(score - maximum), and brings maxima and totals up to date. `keep`
// gets the factor by which sums so far shrink. Works on one vector of rows; `width` lanes lie between the scores of two
// keys.
template <typename C>
HWY_INLINE void soften_rows(C* scores, int64_t width, int64_t count, C* maxima, C* totals, C* keep) {
  const Lanes<C> d;
  const auto before = hn::LoadU(d, maxima);
  auto maximum = before;
  for (int64_t j = 0; j < count; ++j) maximum = hn::Max(maximum, hn::LoadU(d, scores + j * width));
  // A row that has seen no key yet: subtracting infinity from infinity would give NaN.
  const auto base = hn::IfThenElse(hn::Eq(maximum, hn::Set(d, kNoScore<C>)), hn::Zero(d), maximum);
  auto total = hn::Zero(d);
  for (int64_t j = 0; j < count; ++j) {
    const auto weight = exp_of_negative(d, hn::Sub(hn::LoadU(d, scores + j * width), base));
    total = hn::Add(total, weight);
    hn::StoreU(weight, d, scores + j * width);
  }
  const auto factor = exp_of_negative(d, hn::Sub(before, base));
  hn::StoreU(maximum, d, maxima);
  hn::StoreU(hn::MulAdd(hn::LoadU(d, totals), factor, total), d, totals);
  hn::StoreU(factor, d, keep);
}

// Hides the keys beyond each row's last one: limits[lane] is its index within the tile.
template <typename C>
HWY_INLINE void hide_rows(C* scores, int64_t width, int64_t count, const C* limits) {
  const Lanes<C> d;
  const auto limit = hn::LoadU(d, limits);
  for (int64_t j = 0; j < count; ++j) {
    const auto hidden = hn::Gt(hn::Set(d, static_cast<C>(j)), limit);
    const auto score = hn::LoadU(d, scores + j * width);
    hn::StoreU(hn::IfThenElse(hidden, hn::Set(d, kNoScore<C>), score), d, scores + j * width);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // toggle
