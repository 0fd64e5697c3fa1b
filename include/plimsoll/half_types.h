// The 16-bit floating point types, stored as their bits. Arithmetic happens in float32; conversions round to nearest
// even, keep infinities, and keep NaN a NaN.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

namespace plimsoll {

namespace detail {

constexpr float float_from_half_bits(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // zero and subnormals, exact
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

constexpr uint16_t half_bits_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and above round to infinity
  if (magnitude >= 0x38800000u) {
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  // Below the normal range: adding 2^-24 * 2^23 = 0.5 aligns the mantissa to the subnormal grid and rounds to even.
  const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
  return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3f000000u));
}

constexpr uint16_t bfloat_bits_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace detail

// IEEE 754 binary16.
struct float16_t {
  uint16_t bits = 0;

  float16_t() = default;
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr float16_t(T value) : bits(detail::half_bits_from_float(static_cast<float>(value))) {}  // NOLINT
  constexpr operator float() const { return detail::float_from_half_bits(bits); }                  // NOLINT

  static constexpr float16_t from_bits(uint16_t bits) {
    float16_t half;
    half.bits = bits;
    return half;
  }
};

// The upper half of a float32.
struct bfloat16_t {
  uint16_t bits = 0;

  bfloat16_t() = default;
  template <typename T>
    requires std::is_arithmetic_v<T>
  constexpr bfloat16_t(T value) : bits(detail::bfloat_bits_from_float(static_cast<float>(value))) {}    // NOLINT
  constexpr operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }  // NOLINT

  static constexpr bfloat16_t from_bits(uint16_t bits) {
    bfloat16_t half;
    half.bits = bits;
    return half;
  }
};

inline std::ostream& operator<<(std::ostream& os, float16_t value) { return os << static_cast<float>(value); }
inline std::ostream& operator<<(std::ostream& os, bfloat16_t value) { return os << static_cast<float>(value); }

template <typename T>
inline constexpr bool is_half_v = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

}  // namespace plimsoll
