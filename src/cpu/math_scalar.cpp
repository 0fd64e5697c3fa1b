#include "cpu/math_scalar.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "cpu/math_coefficients.h"

namespace plimsoll::cpu::math {
namespace {

constexpr double kHalfSqrtPi = 0.886226925452758013649;
constexpr int kErfinvSteps = 3;

// 32 bits of kTwoOverPiBits from bit `offset` on.
uint32_t two_over_pi_bits(int offset) {
  const int word = offset / 32;
  const int shift = offset % 32;
  const uint64_t pair = (uint64_t{kTwoOverPiBits[word]} << 32) | (shift ? kTwoOverPiBits[word + 1] : 0u);
  return static_cast<uint32_t>((pair << shift) >> 32);
}

template <size_t N>
double polynomial(double x, const float (&c)[N]) {
  double sum = c[N - 1];
  for (size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// Within 1e-3, for 0 <= x < 1.
double erfinv_estimate(double x) {
  const double w = -std::log((1 - x) * (1 + x));
  if (w < kErfinvSwitch) return x * polynomial(w - 2.5, kErfinvCentral);
  if (w < 16.0) return x * polynomial(std::sqrt(w) - 3.0, kErfinvTail);
  // From erfc(y) ~ exp(-y^2) / (y sqrt(pi)).
  const double power = -std::log(1 - x);
  return std::sqrt(power - 0.5 * std::log(power * std::numbers::pi));
}

}  // namespace

float reduce_large(float x, int32_t* quadrant) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const int biased_exponent = static_cast<int>((bits >> 23) & 0xff);
  *quadrant = 0;
  if (biased_exponent == 0xff) return std::numeric_limits<float>::quiet_NaN();
  const uint64_t significand = (bits & 0x7fffff) | 0x800000;
  // |x| = significand * 2^exponent; bits of 2 / pi whose product is a multiple of 4 are skipped.
  const int exponent = biased_exponent - 150;
  const int offset = 32 + exponent - 2;
  const uint64_t product = ((significand * two_over_pi_bits(offset)) << 32) +
                           significand * two_over_pi_bits(offset + 32) +
                           ((significand * two_over_pi_bits(offset + 64)) >> 32);
  // product / 2^64 is |x| * 2 / pi / 4 modulo 1.
  const uint64_t nearest = (product + (uint64_t{1} << 61)) >> 62;
  const auto fraction = static_cast<int64_t>(product - (nearest << 62));
  constexpr double kHalfPiScaled = 0x1.921fb54442d18p-62;
  const auto reduced = static_cast<float>(static_cast<double>(fraction) * kHalfPiScaled);
  const bool negative = (bits >> 31) != 0;
  const auto count = static_cast<int32_t>(nearest & 3);
  *quadrant = (negative ? -count : count) & 3;
  return negative ? -reduced : reduced;
}

double erfinv(double x) {
  const double a = std::abs(x);
  if (a == 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
  if (!(a < 1)) return std::numeric_limits<double>::quiet_NaN();
  if (a < 0x1p-27) return x * kHalfSqrtPi;
  double y = erfinv_estimate(a);
  // Halley's method; erfc where 1 - x is the exact number.
  for (int step = 0; step < kErfinvSteps; ++step) {
    const double error = a < 0.5 ? std::erf(y) - a : (1 - a) - std::erfc(y);
    const double newton = error * kHalfSqrtPi * std::exp(y * y);
    y -= newton / (1 + y * newton);
  }
  return std::copysign(y, x);
}

}  // namespace plimsoll::cpu::math
