// Doubles by their bits.

#define DOUBLE_INFINITY packDouble2x32(uvec2(0u, 0x7ff00000u))
#define DOUBLE_NAN packDouble2x32(uvec2(0u, 0x7ff80000u))

uint64_t magnitude_bits(double x) { return packUint2x32(unpackDouble2x32(x)) & 0x7fffffffffffffffUL; }
bool is_nan(double x) { return magnitude_bits(x) > 0x7ff0000000000000UL; }
bool is_inf(double x) { return magnitude_bits(x) == 0x7ff0000000000000UL; }
bool is_finite(double x) { return magnitude_bits(x) < 0x7ff0000000000000UL; }
bool is_zero(double x) { return magnitude_bits(x) == 0UL; }
bool has_sign(double x) { return unpackDouble2x32(x).y >> 31 != 0u; }

double double_from_bits(uint64_t bits) { return packDouble2x32(unpackUint2x32(bits)); }

double copy_sign(double magnitude, double sign) {
  const uvec2 bits = unpackDouble2x32(magnitude);
  return packDouble2x32(uvec2(bits.x, (bits.y & 0x7fffffffu) | (unpackDouble2x32(sign).y & 0x80000000u)));
}

// 2^n for -1022 <= n <= 1023.
double double_power_of_two(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

// a * b + c, rounded twice, as multiply_add of floats.
double multiply_add(double a, double b, double c) {
  precise double product = a * b;
  precise double sum = product + c;
  return sum;
}

// The square root; NaN of negative numbers.
double sqrt_of(double x) { return has_sign(x) && !is_zero(x) ? DOUBLE_NAN : sqrt(x); }
