// The inner loops of reductions over contiguous memory, for every dtype.
//
// Lanes accumulate in float32 (float64 for float64), in integers wide enough for the elements of one call, or in the
// dtype itself for maxima; short runs of them are then combined in a Total, so that the error of a sum does not grow
// with its length. The order depends on the shape alone.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

enum class Fold : uint8_t { kSum, kProd, kMax, kMin };

// What elements of type T are combined in between calls. Integers wrap modulo 2^64, so that any narrower integer is
// exact modulo its own size.
template <typename T>
using Total = std::conditional_t<
    std::is_same_v<T, complex64_t>, std::complex<double>,
    std::conditional_t<!std::is_integral_v<T>, double, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

inline constexpr size_t kTotalBytes = sizeof(std::complex<double>);  // of the largest
inline constexpr int64_t kReduceColumns = 1 << 10;                   // most columns in one call

// The operands of a call. `totals` are Total<T> for the elements' type T.
struct FoldOperands {
  const std::byte* source;
  int64_t rows;
  int64_t row_stride;  // elements
  int64_t length;      // contiguous elements of a row
  void* totals;
};

// totals[i] = fold(totals[i], the elements of row i).
void fold_rows(Fold fold, Dtype dtype, const FoldOperands& operands);

// totals[j] = fold(totals[j], element j of each row); length at most kReduceColumns.
void fold_columns(Fold fold, Dtype dtype, const FoldOperands& operands);

// Order of complex numbers: by the real part, then by the imaginary one.
template <typename T>
bool is_less(const T& a, const T& b) {
  return a < b;
}
template <typename T>
bool is_less(const std::complex<T>& a, const std::complex<T>& b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

template <typename T>
bool is_nan(const T& value) {
  return value != value;
}

// The larger of two (the smaller for kMin); NaN if one is.
template <typename T>
T fold_extremum(Fold fold, const T& a, const T& b) {
  if (is_nan(a)) return a;
  if (is_nan(b)) return b;
  return (fold == Fold::kMax ? is_less(a, b) : is_less(b, a)) ? b : a;
}

template <typename T>
T fold_two(Fold fold, const T& a, const T& b) {
  if (fold == Fold::kMax || fold == Fold::kMin) return fold_extremum(fold, a, b);
  if constexpr (std::is_same_v<T, int64_t>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(fold == Fold::kSum ? x + y : x * y);
  } else {
    return fold == Fold::kSum ? a + b : a * b;
  }
}

// What changes nothing when combined; T is any type that elements accumulate in.
template <typename T>
T fold_identity(Fold fold) {
  using Limits = std::numeric_limits<T>;
  if (fold == Fold::kSum || fold == Fold::kProd) return T(fold == Fold::kProd);
  if constexpr (std::is_integral_v<T>) {
    return fold == Fold::kMax ? Limits::min() : Limits::max();
  } else if constexpr (std::is_floating_point_v<T>) {
    return fold == Fold::kMax ? -Limits::infinity() : Limits::infinity();
  } else {
    const auto part = fold_identity<typename T::value_type>(fold);
    return {part, part};
  }
}

}  // namespace plimsoll::cpu
