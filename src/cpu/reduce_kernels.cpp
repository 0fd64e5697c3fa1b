#include "cpu/reduce_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/reduce_kernels.cpp"
#include "hwy/foreach_target.h"

#include "cpu/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows and vectors combined in lanes before they join the totals: they bound the error.
constexpr int64_t kRunRows = 64;
constexpr int64_t kRunVectors = 64;
constexpr int64_t kShortRow = 12;  // elements up to which lanes are not worth filling

// bool is stored as a byte of 0 or 1.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <typename T>
using NextWider = std::conditional_t<(sizeof(T) < 4), std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                                     std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

// The type of the lanes that elements of (stored) type T accumulate in.
template <typename T, Fold kFold>
using Lane = std::conditional_t<!std::is_integral_v<T>, Wide<T>,
                                std::conditional_t<kFold == Fold::kMax || kFold == Fold::kMin, T, NextWider<T>>>;

// Products of integers and everything complex go element by element.
template <typename T, Fold kFold>
inline constexpr bool kHasLanes = !std::is_same_v<T, complex64_t> && !(std::is_integral_v<T> && kFold == Fold::kProd);

template <class D, typename T>
HWY_INLINE hn::Vec<D> load_lanes(D d, const T* p) {
  if constexpr (!std::is_integral_v<T> || std::is_same_v<T, hn::TFromD<D>>) {
    return load(d, p);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), p));
  }
}

template <Fold kFold, class D, class V = hn::Vec<D>>
HWY_INLINE V combine(D, V a, V b) {
  if constexpr (kFold == Fold::kSum) return hn::Add(a, b);
  if constexpr (kFold == Fold::kProd) return hn::Mul(a, b);
  if constexpr (kFold == Fold::kMax || kFold == Fold::kMin) {
    const V chosen = kFold == Fold::kMax ? hn::Max(a, b) : hn::Min(a, b);
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, chosen));
    } else {
      return chosen;
    }
  }
}

// The first `count` elements as lanes, the others `fill`.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_lanes_first(D d, const T* p, int64_t count, hn::Vec<D> fill) {
  HWY_ALIGN T elements[hn::MaxLanes(d)] = {};
  std::memcpy(elements, p, static_cast<size_t>(count) * sizeof(T));
  return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(count)), load_lanes(d, elements), fill);
}

// Folds the lanes in the total, one by one.
template <Fold kFold, class D, typename TotalType>
HWY_INLINE TotalType fold_lanes(D d, hn::Vec<D> v, TotalType total) {
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) total = fold_two<TotalType>(kFold, total, lanes[i]);
  return total;
}

// One row in runs of at most kRunVectors vectors.
template <Fold kFold, typename T>
HWY_INLINE Total<T> fold_row(const T* p, int64_t length, Total<T> total) {
  using L = Lane<T, kFold>;
  const hn::ScalableTag<L> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto identity = hn::Set(d, fold_identity<L>(kFold));
  for (int64_t i = 0; i < length;) {
    const int64_t end = std::min(length, i + kRunVectors * lanes);
    auto a = identity, b = identity, c = identity, e = identity;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      a = combine<kFold>(d, a, load_lanes(d, p + i));
      b = combine<kFold>(d, b, load_lanes(d, p + i + lanes));
      c = combine<kFold>(d, c, load_lanes(d, p + i + 2 * lanes));
      e = combine<kFold>(d, e, load_lanes(d, p + i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) a = combine<kFold>(d, a, load_lanes(d, p + i));
    if (i < end) b = combine<kFold>(d, b, load_lanes_first(d, p + i, end - i, identity));
    i = end;
    total = fold_lanes<kFold>(d, combine<kFold>(d, combine<kFold>(d, a, b), combine<kFold>(d, c, e)), total);
  }
  return total;
}

template <Fold kFold, typename T>
HWY_INLINE Total<T> fold_row_by_element(const T* p, int64_t length, Total<T> total) {
  for (int64_t i = 0; i < length; ++i) total = fold_two<Total<T>>(kFold, total, static_cast<Total<T>>(p[i]));
  return total;
}

// lanes[j] = fold(lanes[j], column j of four rows, or of one when `rows` is 1).
template <Fold kFold, typename T>
HWY_INLINE void fold_rows_in_lanes(const T* p, int64_t stride, int64_t rows, int64_t columns, Lane<T, kFold>* lanes) {
  const hn::ScalableTag<Lane<T, kFold>> d;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const auto identity = hn::Set(d, fold_identity<Lane<T, kFold>>(kFold));
  int64_t j = 0;
  const auto step = [&](auto read) HWY_ATTR {
    auto v = read(p + j);
    if (rows == 4) {
      v = combine<kFold>(d, v, read(p + j + stride));
      v = combine<kFold>(d, v, combine<kFold>(d, read(p + j + 2 * stride), read(p + j + 3 * stride)));
    }
    hn::Store(combine<kFold>(d, hn::Load(d, lanes + j), v), d, lanes + j);
  };
  for (; j + width <= columns; j += width) step([&](const T* at) HWY_ATTR { return load_lanes(d, at); });
  if (j < columns) step([&](const T* at) HWY_ATTR { return load_lanes_first(d, at, columns - j, identity); });
}

template <Fold kFold, typename T>
HWY_INLINE void fold_columns_in_lanes(const T* p, int64_t rows, int64_t stride, int64_t columns, Total<T>* totals) {
  using L = Lane<T, kFold>;
  HWY_ALIGN L lanes[kReduceColumns];
  while (rows > 0) {
    const int64_t run = std::min(rows, kRunRows);
    const int64_t padded = std::min(kReduceColumns, columns + 64);  // a whole vector is stored at the end
    std::fill_n(lanes, padded, fold_identity<L>(kFold));
    int64_t i = 0;
    for (; i + 4 <= run; i += 4) fold_rows_in_lanes<kFold, T>(p + i * stride, stride, 4, columns, lanes);
    for (; i < run; ++i) fold_rows_in_lanes<kFold, T>(p + i * stride, stride, 1, columns, lanes);
    for (int64_t j = 0; j < columns; ++j) totals[j] = fold_two<Total<T>>(kFold, totals[j], lanes[j]);
    p += run * stride;
    rows -= run;
  }
}

template <Fold kFold, typename T>
HWY_INLINE void rows_typed(const FoldOperands& r) {
  const T* p = reinterpret_cast<const T*>(r.source);
  auto* totals = static_cast<Total<T>*>(r.totals);
  for (int64_t i = 0; i < r.rows; ++i, p += r.row_stride) {
    if constexpr (kHasLanes<T, kFold>) {
      if (r.length > kShortRow) {
        totals[i] = fold_row<kFold>(p, r.length, totals[i]);
        continue;
      }
    }
    totals[i] = fold_row_by_element<kFold>(p, r.length, totals[i]);
  }
}

template <Fold kFold, typename T>
HWY_INLINE void columns_typed(const FoldOperands& r) {
  const T* p = reinterpret_cast<const T*>(r.source);
  auto* totals = static_cast<Total<T>*>(r.totals);
  if constexpr (kHasLanes<T, kFold>) {
    fold_columns_in_lanes<kFold>(p, r.rows, r.row_stride, r.length, totals);
  } else {
    for (int64_t i = 0; i < r.rows; ++i, p += r.row_stride) {
      for (int64_t j = 0; j < r.length; ++j) {
        totals[j] = fold_two<Total<T>>(kFold, totals[j], static_cast<Total<T>>(p[j]));
      }
    }
  }
}

template <typename T, bool kByColumns>
void run_fold(Fold fold, const FoldOperands& rows) {
  const auto run = [&]<Fold kWhich>(std::integral_constant<Fold, kWhich>) HWY_ATTR {
    if constexpr (kByColumns) {
      columns_typed<kWhich, T>(rows);
    } else {
      rows_typed<kWhich, T>(rows);
    }
  };
  switch (fold) {
    case Fold::kSum:
      return run(std::integral_constant<Fold, Fold::kSum>());
    case Fold::kProd:
      return run(std::integral_constant<Fold, Fold::kProd>());
    case Fold::kMax:
      return run(std::integral_constant<Fold, Fold::kMax>());
    case Fold::kMin:
      return run(std::integral_constant<Fold, Fold::kMin>());
  }
}

void run_rows(Fold fold, Dtype dtype, const FoldOperands& rows) {
  dispatch_dtype(dtype, [&]<typename T>(T) { run_fold<Stored<T>, false>(fold, rows); });
}

void run_columns(Fold fold, Dtype dtype, const FoldOperands& rows) {
  dispatch_dtype(dtype, [&]<typename T>(T) { run_fold<Stored<T>, true>(fold, rows); });
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(run_rows);
HWY_EXPORT(run_columns);

void fold_rows(Fold fold, Dtype dtype, const FoldOperands& operands) {
  HWY_DYNAMIC_DISPATCH(run_rows)(fold, dtype, operands);
}

void fold_columns(Fold fold, Dtype dtype, const FoldOperands& operands) {
  HWY_DYNAMIC_DISPATCH(run_columns)(fold, dtype, operands);
}

}  // namespace plimsoll::cpu
#endif
