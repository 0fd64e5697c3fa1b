// Sine, cosine and tangent, exact range reduction for every float.

// pi / 2 in parts of 11 bits (the last is full): products with counts up to 2^13 are exact.
const float kHalfPi0 = 1.5703125;
const float kHalfPi1 = 0.0004837512969970703;
const float kHalfPi2 = 7.549533620476723e-08;
const float kHalfPi3 = 2.5632829192545614e-12;
const float kHalfPi4 = 6.123234262925839e-17;
// Above this |x| the parts of pi / 2 do not suffice, and the bits of 2 / pi are multiplied instead.
const float kReduceHighest = 8192.0;

// 32 bits of 2 / pi, from bit `offset` on, 32 bits before the binary point counting as 0.
uint two_over_pi_bits(int offset) {
  const uint words[8] = uint[](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
                               0xfe5163abu);
  const int word = offset >> 5;
  const int shift = offset & 31;
  const uint64_t pair = (uint64_t(words[word]) << 32) | (shift != 0 ? uint64_t(words[word + 1]) : uint64_t(0));
  return uint((pair << shift) >> 32);
}

// x minus the nearest multiple of pi / 2, for |x| >= 2^13; `quadrant` is that multiple modulo 4. Multiplies the 24-bit
// significand with the 96 bits of 2 / pi that matter (Payne and Hanek, 1983).
float reduce_large(float x, out int quadrant) {
  const uint bits = floatBitsToUint(x);
  quadrant = 0;
  if (!is_finite(x)) return FLOAT_NAN;
  const uint64_t significand = uint64_t((bits & 0x7fffffu) | 0x800000u);
  // Bits of 2 / pi whose product is a multiple of 4 are skipped.
  const int offset = int((bits >> 23) & 0xffu) - 150 + 30;
  const uint64_t product = ((significand * two_over_pi_bits(offset)) << 32) + significand * two_over_pi_bits(offset + 32) +
                           ((significand * two_over_pi_bits(offset + 64)) >> 32);
  // product / 2^64 is |x| * 2 / pi / 4 modulo 1.
  const uint64_t nearest = (product + (uint64_t(1) << 61)) >> 62;
  const int64_t fraction = int64_t(product - (nearest << 62));
  // fraction * pi / 2 * 2^-62: 23 bits of it exactly, the rest rounded.
  const uint64_t size = uint64_t(fraction < 0 ? -fraction : fraction);
  const float high = float(uint(size >> 38));
  const float low = float(size & ((uint64_t(1) << 38) - 1));
  const float kScaledHigh = 9.362675967850009e-08;  // pi / 2 * 2^-24, of a count of 2^38
  const float kScaledLow = -2.605401771470185e-15;
  const float kUnit = 3.4061216748705226e-19;  // pi / 2 * 2^-62
  const float tail = fma(high, kScaledLow, low * kUnit);
  const float reduced = fma(high, kScaledHigh, tail);
  const bool negative = has_sign(x) != (fraction < 0);
  const int count = int(nearest & 3);
  quadrant = (has_sign(x) ? -count : count) & 3;
  return negative ? -reduced : reduced;
}

// x minus the nearest multiple of pi / 2; `quadrant` is that multiple, of which the two lowest bits count.
float reduce_by_half_pi(float x, out int quadrant) {
  if (!(abs(x) <= kReduceHighest) || is_nan(x)) return reduce_large(x, quadrant);
  const float count = roundEven(x * 0.63661975);
  quadrant = int(count);
  const float high = multiply_add(-count, kHalfPi1, multiply_add(-count, kHalfPi0, x));
  // Exact until here; what the next difference rounds off goes into the low part.
  precise float third = count * kHalfPi2;
  precise float difference = high - third;
  precise float low = (high - difference) - third;
  low = multiply_add(-count, kHalfPi4, multiply_add(-count, kHalfPi3, low));
  precise float reduced = difference + low;
  return reduced;
}

// sin(r + quadrant * pi / 2) for |r| <= pi / 4.
float sin_reduced(float r, int quadrant) {
  const float square = r * r;
  float s = 2.8326294e-06;
  s = fma(s, square, -0.00019853069);
  s = fma(s, square, 0.008333379);
  s = fma(s, square, -0.16666667);
  const float sine = fma(r * square, s, r);
  float c = 2.4432327e-05;
  c = fma(c, square, -0.001388731);
  c = fma(c, square, 0.041666646);
  const float cosine = fma(square, fma(square, c, -0.5), 1.0);
  const float value = (quadrant & 1) != 0 ? cosine : sine;
  return uintBitsToFloat(floatBitsToUint(value) ^ (uint(quadrant & 2) << 30));
}

// 1.6 ulp
float math_sin(float x) {
  int quadrant;
  const float r = reduce_by_half_pi(x, quadrant);
  return is_zero(x) ? x : sin_reduced(r, quadrant);
}

// 1.6 ulp
float math_cos(float x) {
  int quadrant;
  const float r = reduce_by_half_pi(x, quadrant);
  return sin_reduced(r, quadrant + 1);
}

// 3.6 ulp
float math_tan(float x) {
  int quadrant;
  const float r = reduce_by_half_pi(x, quadrant);
  return is_zero(x) ? x : sin_reduced(r, quadrant) / sin_reduced(r, quadrant + 1);
}

// The sine and the cosine.
vec2 math_sin_cos(float x) {
  int quadrant;
  const float r = reduce_by_half_pi(x, quadrant);
  return vec2(is_zero(x) ? x : sin_reduced(r, quadrant), sin_reduced(r, quadrant + 1));
}
