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
  precise float rest = fma(-quotient, b, a);
  precise float nearest = fma(rest, 1.0 / b, quotient);
  return nearest;
}

// The square root; NaN of negative numbers.
float sqrt_of(float x) { return has_sign(x) && !is_zero(x) ? FLOAT_NAN : sqrt(x); }
