// Floats by their bits.

#define FLOAT_INFINITY uintBitsToFloat(0x7f800000u)
#define FLOAT_NAN uintBitsToFloat(0x7fc00000u)

uint magnitude_bits(float x) { return floatBitsToUint(x) & 0x7fffffffu; }
bool is_nan(float x) { return magnitude_bits(x) > 0x7f800000u; }
bool is_inf(float x) { return magnitude_bits(x) == 0x7f800000u; }
bool is_finite(float x) { return magnitude_bits(x) < 0x7f800000u; }
bool is_zero(float x) { return magnitude_bits(x) == 0u; }
// Of zeros and NaN too.
bool has_sign(float x) { return floatBitsToUint(x) >> 31 != 0u; }

float copy_sign(float magnitude, float sign) {
  return uintBitsToFloat(magnitude_bits(magnitude) | (floatBitsToUint(sign) & 0x80000000u));
}

// 2^n for -126 <= n <= 127.
float power_of_two(int n) { return uintBitsToFloat(uint(n + 127) << 23); }

// The larger and the smaller; NaN if one of them is.
float max_or_nan(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : a > b ? a : b; }
float min_or_nan(float a, float b) { return is_nan(a) ? a : is_nan(b) ? b : a < b ? a : b; }

// a * b + c, rounded twice: of which no compiler makes anything else. Range reductions need that where the products are
// exact; fma, even a precise one, some drivers take apart and regroup.
float multiply_add(float a, float b, float c) {
  precise float product = a * b;
  precise float sum = product + c;
  return sum;
}

// Pairs of floats are sums whose second part is at most half a unit in the last place of the first.

vec2 two_sum(float a, float b) {
  precise float sum = a + b;
  precise float back = sum - a;
  precise float rest = (a - (sum - back)) + (b - back);
  return vec2(sum, rest);
}

// Products of 12-bit parts are exact with and without fused operations.
vec2 two_product(float a, float b) {
  const float a_high = uintBitsToFloat(floatBitsToUint(a) & 0xfffff000u);
  const float b_high = uintBitsToFloat(floatBitsToUint(b) & 0xfffff000u);
  precise float a_low = a - a_high;
  precise float b_low = b - b_high;
  precise float product = a * b;
  precise float rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return vec2(product, rest);
}

// a / b, to the nearest float where neither it nor a remainder leaves the range of normal numbers: a device's own
// quotient may be off by 2.5 units in the last place.
float divide(float a, float b) {
  precise float quotient = a / b;
  const uint exponent_a = magnitude_bits(a) >> 23;
  const uint exponent_b = magnitude_bits(b) >> 23;
  const uint exponent_q = magnitude_bits(quotient) >> 23;
  // Biased exponents within [64, 190].
  const uint reach = max(max(exponent_a - 64u, exponent_b - 64u), exponent_q - 64u);
  if (reach > 126u) return quotient;
  const vec2 product = two_product(quotient, b);
  precise float rest = (a - product.x) - product.y;
  precise float nearest = quotient + rest / b;
  return nearest;
}

// The square root; NaN of negative numbers.
float sqrt_of(float x) { return has_sign(x) && !is_zero(x) ? FLOAT_NAN : sqrt(x); }
