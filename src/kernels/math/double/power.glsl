// Powers and remainders, as math/power.glsl has them of floats.

dvec2 two_sum(double a, double b) {
  precise double sum = a + b;
  precise double back = sum - a;
  precise double rest = (a - (sum - back)) + (b - back);
  return dvec2(sum, rest);
}

dvec2 two_product(double a, double b) {
  const uvec2 bits_a = unpackDouble2x32(a);
  const uvec2 bits_b = unpackDouble2x32(b);
  const double a_high = packDouble2x32(uvec2(bits_a.x & 0xf8000000u, bits_a.y));
  const double b_high = packDouble2x32(uvec2(bits_b.x & 0xf8000000u, bits_b.y));
  precise double a_low = a - a_high;
  precise double b_low = b - b_high;
  precise double product = a * b;
  precise double rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return dvec2(product, rest);
}

dvec2 double_log_pair(double x) {
  double exponent;
  const double f = double_split_exponent(x, exponent) - 1.0lf;
  const dvec2 square = two_product(f, f);
  const dvec2 first = two_sum(exponent * kDoubleLn2High, f);
  const dvec2 second = two_sum(first.x, -0.5lf * square.x);
  const double low = fma(exponent, kDoubleLn2Low, double_log_rest(f)) + (first.y + second.y - 0.5lf * square.y);
  return two_sum(second.x, low);
}

double double_power_positive(double x, double y) {
  const dvec2 logarithm = double_log_pair(x);
  const double rough = y * logarithm.x;
  if (is_nan(rough) || abs(rough) > 1000.0lf) return (x > 1.0lf) == (y > 0.0lf) ? DOUBLE_INFINITY : 0.0lf;
  const dvec2 product = two_product(y, logarithm.x);
  int n;
  const double r = double_reduce_by_ln2(product.x, n) + fma(y, logarithm.y, product.y);
  return double_scale_by(1.0lf + double_expm1_reduced(r), n);
}

double double_pow(double x, double y) {
  if (is_zero(y) || x == 1.0lf) return 1.0lf;
  if (is_nan(x) || is_nan(y)) return DOUBLE_NAN;
  const double a = abs(x);
  const bool whole = abs(y) >= 4503599627370496.0lf || floor(y) == y;
  const bool odd = whole && abs(y) < 9007199254740992.0lf && floor(y * 0.5lf) * 2.0lf != y;
  double value;
  if (is_inf(y)) {
    value = a == 1.0lf ? 1.0lf : (a > 1.0lf) == (y > 0.0lf) ? DOUBLE_INFINITY : 0.0lf;
  } else if (is_zero(a) || is_inf(a)) {
    value = is_zero(a) == (y < 0.0lf) ? DOUBLE_INFINITY : 0.0lf;
  } else if (has_sign(x) && !whole) {
    return DOUBLE_NAN;
  } else {
    value = double_power_positive(a, y);
  }
  return has_sign(x) && odd ? -value : value;
}

uint64_t double_significand_of(double x, out int exponent) {
  const uint64_t bits = magnitude_bits(x);
  const int biased = int(bits >> 52);
  exponent = max(biased, 1) - 1075;
  return (bits & 0xfffffffffffffUL) | (biased != 0 ? 0x10000000000000UL : 0UL);
}

double double_fmod(double a, double b) {
  if (is_nan(a) || is_nan(b) || is_inf(a) || is_zero(b)) return DOUBLE_NAN;
  if (is_inf(b) || magnitude_bits(a) < magnitude_bits(b)) return a;
  int exponent_a, exponent_b;
  uint64_t rest = double_significand_of(a, exponent_a);
  const uint64_t divisor = double_significand_of(b, exponent_b);
  rest %= divisor;
  for (int shift = exponent_a - exponent_b; shift > 0; shift -= 11) rest = (rest << min(shift, 11)) % divisor;
  if (rest == 0UL) return copy_sign(0.0lf, a);
  while (rest < 0x10000000000000UL && exponent_b > -1074) rest <<= 1, --exponent_b;
  const uint64_t biased = uint64_t(exponent_b + 1075);
  const uint64_t bits = rest >= 0x10000000000000UL ? (biased << 52) | (rest & 0xfffffffffffffUL) : rest;
  return copy_sign(double_from_bits(bits), a);
}

double double_remainder(double a, double b) {
  const double r = double_fmod(a, b);
  return !is_zero(r) && !is_nan(r) && has_sign(r) != has_sign(b) ? r + b : r;
}
