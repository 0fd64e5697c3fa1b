// Functions of two operands, one element at a time: for dtypes and kinds without a SIMD kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "plimsoll/dtype.h"
#include "graph/ops/binary.h"

namespace plimsoll::cpu {

template <typename T>
bool compare(BinaryKind kind, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, complex64_t>) {
    // Ordered by real part, then by imaginary part.
    if (kind == BinaryKind::kEqual) return a == b;
    if (kind == BinaryKind::kNotEqual) return a != b;
    if (a.real() != b.real()) return compare(kind, a.real(), b.real());
    return compare(kind, a.imag(), b.imag());
  } else {
    switch (kind) {
      case BinaryKind::kEqual:
        return a == b;
      case BinaryKind::kNotEqual:
        return a != b;
      case BinaryKind::kGreater:
        return a > b;
      case BinaryKind::kGreaterEqual:
        return a >= b;
      case BinaryKind::kLess:
        return a < b;
      case BinaryKind::kLessEqual:
        return a <= b;
      case BinaryKind::kLogicalAnd:
        return a != T(0) && b != T(0);
      default:
        return a != T(0) || b != T(0);
    }
  }
}

// The remainder with the sign of the divisor, as Python's.
template <typename T>
T floor_remainder(T a, T b) {
  const T r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <typename T>
T log_add_exp(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const T larger = std::max(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// float and double.
template <typename T>
T apply_real(BinaryKind kind, T a, T b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSubtract:
      return a - b;
    case BinaryKind::kMultiply:
      return a * b;
    case BinaryKind::kDivide:
      return a / b;
    case BinaryKind::kFloorDivide:
      return std::floor(a / b);
    case BinaryKind::kRemainder:
      return floor_remainder(a, b);
    case BinaryKind::kPower:
      return std::pow(a, b);
    case BinaryKind::kMaximum:
      return std::isnan(a) || a > b ? a : b;
    case BinaryKind::kMinimum:
      return std::isnan(a) || a < b ? a : b;
    case BinaryKind::kLogAddExp:
      return log_add_exp(a, b);
    case BinaryKind::kArcTan2:
      return std::atan2(a, b);
    case BinaryKind::kSwiGLU:
      return a / (1 + std::exp(-a)) * b;
    default:
      return a;
  }
}

// By squaring, modulo 2^bits. A negative exponent of an integer gives 1, -1 or 0, the truncated quotient.
template <typename T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return exponent % 2 == 0 ? T(1) : T(-1);
      return 0;
    }
  }
  uint64_t result = 1;
  for (uint64_t factor = static_cast<uint64_t>(base); exponent != 0; exponent = static_cast<T>(exponent >> 1)) {
    if ((exponent & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

// Quotient rounded down; 0 for a divisor of 0, and the wrapped quotient for the smallest value by -1.
template <typename T>
T integer_floor_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
    const T quotient = static_cast<T>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
  } else {
    return static_cast<T>(a / b);
  }
}

template <typename T>
T integer_remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    const T r = static_cast<T>(a % b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  } else {
    return static_cast<T>(a % b);
  }
}

// Shifts by the width or more, or by a negative count, leave 0 (or -1 of a negative number shifted right).
template <typename T>
T shift_left(T a, T count) {
  const bool whole = count < 0 || static_cast<uint64_t>(count) >= 8 * sizeof(T);
  return whole ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << static_cast<uint64_t>(count));
}

template <typename T>
T shift_right(T a, T count) {
  const bool whole = count < 0 || static_cast<uint64_t>(count) >= 8 * sizeof(T);
  return static_cast<T>(a >> (whole ? 8 * sizeof(T) - 1 : static_cast<size_t>(count)) >>
                        (whole && std::is_unsigned_v<T> ? 1 : 0));
}

// Integers wrap.
template <typename T>
T apply_integer(BinaryKind kind, T a, T b) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  switch (kind) {
    case BinaryKind::kAdd:
      return static_cast<T>(x + y);
    case BinaryKind::kSubtract:
      return static_cast<T>(x - y);
    case BinaryKind::kMultiply:
      return static_cast<T>(x * y);
    case BinaryKind::kFloorDivide:
      return integer_floor_divide(a, b);
    case BinaryKind::kRemainder:
      return integer_remainder(a, b);
    case BinaryKind::kPower:
      return integer_power(a, b);
    case BinaryKind::kMaximum:
      return std::max(a, b);
    case BinaryKind::kMinimum:
      return std::min(a, b);
    case BinaryKind::kBitwiseAnd:
      return static_cast<T>(a & b);
    case BinaryKind::kBitwiseOr:
      return static_cast<T>(a | b);
    case BinaryKind::kBitwiseXor:
      return static_cast<T>(a ^ b);
    case BinaryKind::kLeftShift:
      return shift_left(a, b);
    case BinaryKind::kRightShift:
      return shift_right(a, b);
    default:
      return a;
  }
}

inline bool apply_bool(BinaryKind kind, bool a, bool b) {
  switch (kind) {
    case BinaryKind::kMultiply:
    case BinaryKind::kMinimum:
    case BinaryKind::kBitwiseAnd:
      return a && b;
    case BinaryKind::kSubtract:
    case BinaryKind::kBitwiseXor:
      return a != b;
    case BinaryKind::kPower:
      return a || !b;
    case BinaryKind::kFloorDivide:
      return a && b;
    case BinaryKind::kRemainder:
      return false;
    case BinaryKind::kLeftShift:
    case BinaryKind::kRightShift:
      return a && !b;
    default:
      return a || b;
  }
}

inline complex64_t apply_complex(BinaryKind kind, complex64_t a, complex64_t b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSubtract:
      return a - b;
    case BinaryKind::kMultiply:
      return a * b;
    case BinaryKind::kDivide:
      return a / b;
    case BinaryKind::kPower:
      return std::pow(a, b);
    case BinaryKind::kMaximum:
      return compare(BinaryKind::kGreater, a, b) ? a : b;
    case BinaryKind::kMinimum:
      return compare(BinaryKind::kLess, a, b) ? a : b;
    default:
      return a;
  }
}

}  // namespace plimsoll::cpu
