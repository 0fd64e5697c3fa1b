// Trigonometric functions and their inverses.

// Bits of 2 / pi after the binary point.
const uint kTwoOverPiWords[38] = uint[](
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au,
    0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u,
    0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu,
    0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u,
    0x56033046u, 0xfc7b6babu);

uint64_t double_two_over_pi_word(int word) {
  return word < 0 || word >= 38 ? uint64_t(0) : uint64_t(kTwoOverPiWords[word]);
}

// 64 bits of 2 / pi from bit `offset` on, which may be negative.
uint64_t double_two_over_pi_bits(int offset) {
  const int word = offset >> 5;
  const int shift = offset & 31;
  const uint64_t pair = (double_two_over_pi_word(word) << 32) | double_two_over_pi_word(word + 1);
  return shift == 0 ? pair : (pair << shift) | (double_two_over_pi_word(word + 2) >> (32 - shift));
}

// The high and the low half of a product.
uint64_t high_of_product(uint64_t a, uint64_t b) {
  const uint64_t low_a = a & 0xffffffffUL, high_a = a >> 32, low_b = b & 0xffffffffUL, high_b = b >> 32;
  const uint64_t first = high_a * low_b + ((low_a * low_b) >> 32);
  const uint64_t second = low_a * high_b + (first & 0xffffffffUL);
  return high_a * high_b + (first >> 32) + (second >> 32);
}

// As reduce_large of floats does it (math/trigonometric.glsl), with 192 bits of 2 / pi.
double double_reduce_large(double x, out int quadrant) {
  quadrant = 0;
  if (!is_finite(x)) return DOUBLE_NAN;
  const uint64_t bits = magnitude_bits(x);
  const uint64_t significand = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
  const int offset = int(bits >> 52) - 1075 - 2;
  const uint64_t middle = double_two_over_pi_bits(offset + 64);
  const uint64_t low_product = significand * middle;
  const uint64_t low = low_product + high_of_product(significand, double_two_over_pi_bits(offset + 128));
  const uint64_t carry = low < low_product ? uint64_t(1) : uint64_t(0);
  const uint64_t high = significand * double_two_over_pi_bits(offset) + high_of_product(significand, middle) + carry;
  // high, low / 2^128 is |x| * 2 / pi / 4 modulo 1.
  const uint64_t nearest = (high + 0x2000000000000000UL) >> 62;
  const int64_t fraction = int64_t(high - (nearest << 62));
  const double kHalfPiScaled = 1.5707963267948966lf / 4611686018427387904.0lf;
  const double reduced = (double(fraction) + double(low) / 18446744073709551616.0lf) * kHalfPiScaled;
  const int count = int(nearest & 3);
  quadrant = (has_sign(x) ? -count : count) & 3;
  return has_sign(x) ? -reduced : reduced;
}

// Above this |x| the parts of pi / 2 do not suffice.
const double kDoubleReduceHighest = 1048576.0lf;

double double_reduce_by_half_pi(double x, out int quadrant) {
  if (is_nan(x) || abs(x) > kDoubleReduceHighest) return double_reduce_large(x, quadrant);
  const double count = roundEven(x * 0.6366197723675814lf);
  quadrant = int(count);
  // Parts of 33 bits: exact products.
  const double high = multiply_add(-count, 1.5707963267341256lf, x);
  precise double second = count * 6.077100506303966e-11lf;
  precise double difference = high - second;
  precise double low = (high - difference) - second;
  low = multiply_add(-count, 2.0222662487959506e-21lf, low);
  precise double reduced = difference + low;
  return reduced;
}

// sin(r + quadrant * pi / 2) for |r| <= pi / 4: Taylor's series.
double double_sin_reduced(double r, int quadrant) {
  const double s[9] = double[](-0.16666666666666666lf, 0.008333333333333333lf, -0.0001984126984126984lf,
                               2.7557319223985893e-06lf, -2.505210838544172e-08lf, 1.6059043836821613e-10lf,
                               -7.647163731819816e-13lf, 2.8114572543455206e-15lf, -8.22063524662433e-18lf);
  const double c[8] = double[](0.041666666666666664lf, -0.001388888888888889lf, 2.48015873015873e-05lf,
                               -2.755731922398589e-07lf, 2.08767569878681e-09lf, -1.1470745597729725e-11lf,
                               4.779477332387385e-14lf, -1.5619206968586225e-16lf);
  const double square = r * r;
  double sine = s[8];
  for (int k = 7; k >= 0; --k) sine = fma(sine, square, s[k]);
  double cosine = c[7];
  for (int k = 6; k >= 0; --k) cosine = fma(cosine, square, c[k]);
  sine = fma(r * square, sine, r);
  cosine = fma(square, fma(square, cosine, -0.5lf), 1.0lf);
  const double value = (quadrant & 1) != 0 ? cosine : sine;
  return (quadrant & 2) != 0 ? -value : value;
}

const double kDoublePi = 3.141592653589793lf;
const double kDoublePiLow = 1.2246467991473532e-16lf;
const double kDoubleHalfPi = 1.5707963267948966lf;
const double kDoubleHalfPiLow = 6.123233995736766e-17lf;
const double kDoubleQuarterPi = 0.7853981633974483lf;
const double kDoubleQuarterPiLow = 3.061616997868383e-17lf;

// atan(t) for |t| <= tan(pi / 8): of half the angle, by its series.
double double_atan_reduced(double t) {
  const double c[11] = double[](-0.3333333333333333lf, 0.2lf, -0.14285714285714285lf, 0.1111111111111111lf,
                                -0.09090909090909091lf, 0.07692307692307693lf, -0.06666666666666667lf,
                                0.058823529411764705lf, -0.05263157894736842lf, 0.047619047619047616lf,
                                -0.043478260869565216lf);
  const double u = t / (1.0lf + sqrt(fma(t, t, 1.0lf)));
  const double square = u * u;
  double q = c[10];
  for (int k = 9; k >= 0; --k) q = fma(q, square, c[k]);
  return 2.0lf * fma(u * square, q, u);
}

// atan(t) for 0 <= t <= 1.
double double_atan_unit(double t) {
  if (t <= 0.41421356237309503lf) return double_atan_reduced(t);
  return kDoubleQuarterPi + (double_atan_reduced((t - 1.0lf) / (t + 1.0lf)) + kDoubleQuarterPiLow);
}

double double_atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return DOUBLE_NAN;
  const double a = abs(y);
  const double b = abs(x);
  const double larger = max(a, b);
  double r = 0.0lf;
  if (is_inf(larger)) {
    r = a == b ? kDoubleQuarterPi : 0.0lf;
  } else if (larger > 0.0lf) {
    r = double_atan_unit(min(a, b) / larger);
  }
  const double upper = a > b ? kDoubleHalfPi - (r - kDoubleHalfPiLow) : r;
  return copy_sign(has_sign(x) ? kDoublePi - (upper - kDoublePiLow) : upper, y);
}

double double_atan(double x) { return double_atan2(x, 1.0lf); }
double double_asin(double x) {
  return is_nan(x) || abs(x) > 1.0lf ? DOUBLE_NAN : double_atan2(x, sqrt((1.0lf - x) * (1.0lf + x)));
}
double double_acos(double x) {
  return is_nan(x) || abs(x) > 1.0lf ? DOUBLE_NAN : double_atan2(sqrt((1.0lf - x) * (1.0lf + x)), x);
}
