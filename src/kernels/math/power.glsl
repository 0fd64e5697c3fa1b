// Powers and remainders.

// log(x) as a pair, for positive finite x.
vec2 log_pair(float x) {
  float exponent;
  const float f = split_exponent(x, exponent) - 1.0;
  const vec2 square = two_product(f, f);
  const float cubic = f * square.x * log_polynomial(f);
  const vec2 first = two_sum(exponent * kLn2High, f);
  const vec2 second = two_sum(first.x, -0.5 * square.x);
  const float low = fma(exponent, kLn2Low, cubic) + (first.y + second.y - 0.5 * square.y);
  return two_sum(second.x, low);
}

// x^y for positive finite x and finite y. 10 ulp
float power_positive(float x, float y) {
  const vec2 logarithm = log_pair(x);
  if (abs(y * logarithm.x) > 150.0 || is_nan(y * logarithm.x)) return (x > 1.0) == (y > 0.0) ? FLOAT_INFINITY : 0.0;
  const vec2 product = two_product(y, logarithm.x);
  int n;
  const float r = reduce_by_ln2(product.x, n) + fma(y, logarithm.y, product.y);
  return scale_by(1.0 + expm1_reduced(r), n);
}

// x^y as the C library's pow defines it.
float math_pow(float x, float y) {
  if (is_zero(y) || x == 1.0) return 1.0;
  if (is_nan(x) || is_nan(y)) return FLOAT_NAN;
  const float a = abs(x);
  const bool whole = abs(y) >= 8388608.0 || floor(y) == y;
  const bool odd = whole && abs(y) < 16777216.0 && floor(y * 0.5) * 2.0 != y;
  float value;
  if (is_inf(y)) {
    value = a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? FLOAT_INFINITY : 0.0;
  } else if (is_zero(a) || is_inf(a)) {
    value = is_zero(a) == (y < 0.0) ? FLOAT_INFINITY : 0.0;
  } else if (has_sign(x) && !whole) {
    return FLOAT_NAN;
  } else {
    value = power_positive(a, y);
  }
  return has_sign(x) && odd ? -value : value;
}

// The significand, of 24 bits or fewer, and the exponent of a finite float: x = significand * 2^exponent.
uint significand_of(float x, out int exponent) {
  const uint bits = magnitude_bits(x);
  const uint biased = bits >> 23;
  exponent = int(max(biased, 1u)) - 150;
  return (bits & 0x7fffffu) | (biased != 0u ? 0x800000u : 0u);
}

// The remainder of a / b with the sign of a: exact.
float math_fmod(float a, float b) {
  if (is_nan(a) || is_nan(b) || is_inf(a) || is_zero(b)) return FLOAT_NAN;
  if (is_inf(b) || magnitude_bits(a) < magnitude_bits(b)) return a;
  int exponent_a, exponent_b;
  uint64_t rest = significand_of(a, exponent_a);
  const uint64_t divisor = significand_of(b, exponent_b);
  rest %= divisor;
  for (int shift = exponent_a - exponent_b; shift > 0; shift -= 32) rest = (rest << min(shift, 32)) % divisor;
  // rest * 2^exponent_b, put together so that subnormal results need no arithmetic on them.
  const uint value = uint(rest);
  if (value == 0u) return copy_sign(0.0, a);
  const int lift = min(23 - findMSB(value), exponent_b + 149);
  const uint lifted = value << lift;
  const int biased = exponent_b - lift + 150;
  const uint bits = lifted >= 0x800000u ? (uint(biased) << 23) | (lifted & 0x7fffffu) : lifted;
  return copy_sign(uintBitsToFloat(bits), a);
}

// The remainder with the sign of the divisor, as Python's.
float math_remainder(float a, float b) {
  const float r = math_fmod(a, b);
  return !is_zero(r) && !is_nan(r) && has_sign(r) != has_sign(b) ? r + b : r;
}
