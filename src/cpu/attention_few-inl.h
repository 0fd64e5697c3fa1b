// Attention of few query rows (decode): dot products along the head dimension, one part of the keys at a time. Bound by
// reading keys and values, which happens once for all query heads of a group. Compiled once per target.

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_ATTENTION_FEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_ATTENTION_FEW_INL_H_
#undef PLIMSOLL_CPU_ATTENTION_FEW_INL_H_
#else
#define PLIMSOLL_CPU_ATTENTION_FEW_INL_H_
#endif

#include <algorithm>

#include "cpu/attention_rows-inl.h"
#include "cpu/attention_tile-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kDotKeys = 4;                        // keys of a register block
inline constexpr int kDotRows = kBlockRows == 8 ? 4 : 2;  // query rows of one
inline constexpr int kValueVectors = kBlockRows == 8 ? 4 : 2;

#if HWY_TARGET != HWY_SCALAR
// Adds the blocks of four lanes of a vector and stores the four sums.
template <class D, class V>
HWY_INLINE void store_block_sums(D d, V v, float* to) {
  if constexpr (hn::MaxLanes(d) == 4) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_block_sums(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), to);
  }
}
#endif

// The sums over the lanes of each of kDotKeys vectors.
template <class D, class V>
HWY_INLINE void store_lane_sums(D d, const V (&v)[kDotKeys], hn::TFromD<D>* to) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (!kIsDouble<D>) {
    const hn::Repartition<double, D> d64;
    const V low = hn::Add(hn::InterleaveLower(d, v[0], v[1]), hn::InterleaveUpper(d, v[0], v[1]));
    const V high = hn::Add(hn::InterleaveLower(d, v[2], v[3]), hn::InterleaveUpper(d, v[2], v[3]));
    const auto low64 = hn::BitCast(d64, low), high64 = hn::BitCast(d64, high);
    const V even = hn::BitCast(d, hn::InterleaveLower(d64, low64, high64));
    const V odd = hn::BitCast(d, hn::InterleaveUpper(d64, low64, high64));
    store_block_sums(d, hn::Add(even, odd), to);
    return;
  }
#endif
  for (int i = 0; i < kDotKeys; ++i) to[i] = hn::GetLane(hn::SumOfLanes(d, v[i]));
}

// scores[r][j] = queries[r] . keys[j], for kRows queries [dim] and kDotKeys keys.
template <int kRows, typename C, typename T>
HWY_INLINE void dot_block(const T* const (&keys)[kDotKeys], const C* HWY_RESTRICT queries, int64_t dim,
                          C* HWY_RESTRICT scores) {
  const Lanes<C> d;
  hn::Vec<Lanes<C>> sums[kRows][kDotKeys];
  PLIMSOLL_UNROLL
  for (int r = 0; r < kRows; ++r) {
    PLIMSOLL_UNROLL
    for (int j = 0; j < kDotKeys; ++j) sums[r][j] = hn::Zero(d);
  }
  for_vectors(d, dim, [&](int64_t c, int64_t n) HWY_ATTR {
    hn::Vec<Lanes<C>> key[kDotKeys];
    PLIMSOLL_UNROLL
    for (int j = 0; j < kDotKeys; ++j) key[j] = load_part(d, keys[j], c, n, T(0));
    PLIMSOLL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const auto query = load_part(d, queries + r * dim, c, n, C{0});
      PLIMSOLL_UNROLL
      for (int j = 0; j < kDotKeys; ++j) sums[r][j] = hn::MulAdd(query, key[j], sums[r][j]);
    }
  });
  PLIMSOLL_UNROLL
  for (int r = 0; r < kRows; ++r) store_lane_sums(d, sums[r], scores + r * kTileKeys);
}

// sums[r] = keep[r] * sums[r] + sum over j of weights[r][j] * values[j], for kRows rows and kVectors vectors of
// columns, `width` columns in all: fewer than whole vectors only when kVectors is 1.
template <int kRows, int kVectors, typename C, typename T>
HWY_INLINE void weigh_block(const TileRows<T>& values, int64_t count, const C* HWY_RESTRICT weights,
                            const C* HWY_RESTRICT keep, int64_t width, C* HWY_RESTRICT sums, int64_t sum_stride) {
  const Lanes<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<Lanes<C>> total[kRows][kVectors];
  PLIMSOLL_UNROLL
  for (int r = 0; r < kRows; ++r) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      total[r][v] = hn::Mul(hn::Set(d, keep[r]), hn::LoadU(d, sums + r * sum_stride + v * lanes));
    }
  }
  for (int64_t j = 0; j < count; ++j) {
    const T* row = values.data + j * values.stride;
    hn::Vec<Lanes<C>> value[kVectors];
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      value[v] = kVectors == 1 ? load_part(d, row, 0, width, T(0)) : load(d, row + v * lanes);
    }
    PLIMSOLL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const auto weight = hn::Set(d, weights[r * kTileKeys + j]);
      PLIMSOLL_UNROLL
      for (int v = 0; v < kVectors; ++v) total[r][v] = hn::MulAdd(weight, value[v], total[r][v]);
    }
  }
  PLIMSOLL_UNROLL
  for (int r = 0; r < kRows; ++r) {
    PLIMSOLL_UNROLL
    for (int v = 0; v < kVectors; ++v) hn::StoreU(total[r][v], d, sums + r * sum_stride + v * lanes);
  }
}

// The softmax of one row's `count` scores: as soften_rows, but along a vector.
template <typename C>
HWY_INLINE void soften_row(C* scores, int64_t count, C* maximum, C* total, C* keep) {
  const Lanes<C> d;
  auto highest = hn::Set(d, *maximum);
  for_vectors(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    highest = hn::Max(highest, load_part(d, scores, i, n, kNoScore<C>));
  });
  const C top = hn::GetLane(hn::MaxOfLanes(d, highest));
  const C base = top == kNoScore<C> ? C{0} : top;
  auto sum = hn::Zero(d);
  for_vectors(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto score = load_part(d, scores, i, n, kNoScore<C>);
    const auto weight = exp_of_negative(d, hn::Sub(score, hn::Set(d, base)));
    sum = hn::Add(sum, weight);
    store_part(d, weight, scores, i, n);
  });
  *keep = std::exp(*maximum - base);
  *total = *total * *keep + hn::GetLane(hn::SumOfLanes(d, sum));
  *maximum = top;
}

// Joins a row's state over further keys into its state so far.
template <typename C>
HWY_INLINE void join_row(C* sums, const C* more, int64_t count, C& maximum, C more_maximum, C& total, C more_total) {
  const Lanes<C> d;
  const C top = std::max(maximum, more_maximum);
  const C base = top == kNoScore<C> ? C{0} : top;
  const C keep = std::exp(maximum - base), factor = std::exp(more_maximum - base);
  for_vectors(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto scaled = hn::Mul(hn::Set(d, keep), load_part(d, sums, i, n, C{0}));
    store_part(d, hn::MulAdd(hn::Set(d, factor), load_part(d, more, i, n, C{0}), scaled), sums, i, n);
  });
  total = total * keep + more_total * factor;
  maximum = top;
}

// Calls f(integral constant) with the value of n, 1 to kMax.
template <int kMax, typename F>
HWY_INLINE void with_constant(int64_t n, F f) {
  if constexpr (kMax > 1) {
    if (n < kMax) return with_constant<kMax - 1>(n, f);
  }
  f(std::integral_constant<int, kMax>());
}

// All query rows of one key/value head against part of its keys.
template <typename C, typename T>
class FewRows {
 public:
  FewRows(const HeadRows& head, std::byte* scratch) : head_(head), problem_(*head.problem), rows_(head.row_count()) {
    Carver carver(scratch);
    queries_ = carver.take<C>(rows_ * problem_.dim);
    scores_ = carver.take<C>(rows_ * kTileKeys);
    for (int64_t row = 0; row < rows_; ++row) head_.query(row, queries_ + row * problem_.dim, 1);
  }

  void run(int64_t first_key, int64_t count, const PartialRows<C>& out) {
    std::fill_n(out.maxima, rows_, kNoScore<C>);
    std::fill_n(out.totals, rows_, C{0});
    std::fill_n(out.sums, rows_ * out.stride, C{0});
    const int64_t end = std::min(first_key + count, head_.visible_keys(rows_ - 1));
    for (int64_t first = first_key; first < end; first += kTileKeys) {
      visit(first, std::min(kTileKeys, end - first), out);
    }
  }

 private:
  void visit(int64_t first, int64_t count, const PartialRows<C>& out) {
    const TileRows<T> values = rows_at(problem_.v, first);
    score(rows_at(problem_.k, first), values, count);
    C keep[kFewRows];
    for (int64_t row = 0; row < rows_; ++row) {
      C* scores = scores_ + row * kTileKeys;
      if (problem_.mask.data) head_.mask(row, first, count, scores, 1);
      for (int64_t j = std::max<int64_t>(0, head_.visible_keys(row) - first); j < count; ++j) scores[j] = kNoScore<C>;
      soften_row(scores, count, out.maxima + row, out.totals + row, keep + row);
    }
    weigh(values, count, keep, out);
  }

  TileRows<T> rows_at(const AttentionOperand& operand, int64_t first) const {
    const int64_t* strides = operand.strides;
    const int64_t start = head_.batch * strides[0] + head_.kv_head * strides[1] + first * strides[2];
    return {reinterpret_cast<const T*>(operand.data) + start, strides[2]};
  }

  // In a cache the rows of one head lie far apart, where hardware does not foresee them.
  static HWY_INLINE void prefetch_row(const T* row, int64_t columns) {
    for (int64_t c = 0; c < columns; c += static_cast<int64_t>(kAlignment / sizeof(T))) hwy::Prefetch(row + c);
  }

  // Also fetches the keys ahead and the values that will be weighed.
  HWY_NOINLINE void score(const TileRows<T>& keys, const TileRows<T>& values, int64_t count) {
    constexpr int64_t kAhead = 8;
    for (int64_t j = 0; j < count; j += kDotKeys) {
      const T* block[kDotKeys];
      for (int i = 0; i < kDotKeys; ++i) {
        block[i] = keys.data + std::min(j + i, count - 1) * keys.stride;
        prefetch_row(keys.data + std::min(j + i + kAhead, count - 1) * keys.stride, problem_.dim);
        prefetch_row(values.data + std::min(j + i, count - 1) * values.stride, problem_.value_dim);
      }
      for (int64_t r = 0; r < rows_; r += kDotRows) {
        with_constant<kDotRows>(std::min<int64_t>(kDotRows, rows_ - r), [&](auto rows) {
          dot_block<rows()>(block, queries_ + r * problem_.dim, problem_.dim, scores_ + r * kTileKeys + j);
        });
      }
    }
  }

  HWY_NOINLINE void weigh(const TileRows<T>& values, int64_t count, const C* keep, const PartialRows<C>& out) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<C>()));
    for (int64_t r = 0; r < rows_; r += kDotRows) {
      with_constant<kDotRows>(std::min<int64_t>(kDotRows, rows_ - r), [&](auto rows) {
        for (int64_t c = 0, width; c < problem_.value_dim; c += width) {
          const TileRows<T> columns{values.data + c, values.stride};
          C* sums = out.sums + r * out.stride + c;
          const C* weights = scores_ + r * kTileKeys;
          width = std::min(kValueVectors * lanes, problem_.value_dim - c);
          if (width == kValueVectors * lanes) {
            weigh_block<rows(), kValueVectors>(columns, count, weights, keep + r, width, sums, out.stride);
          } else {
            width = std::min(lanes, width);
            weigh_block<rows(), 1>(columns, count, weights, keep + r, width, sums, out.stride);
          }
        }
      });
    }
  }

  HeadRows head_;
  const Attention& problem_;
  int64_t rows_;
  C* queries_;  // [rows][dim], scaled
  C* scores_;   // [rows][kTileKeys]
};

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // toggle
