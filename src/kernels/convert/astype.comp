#version 460
// Conversion from IN_DTYPE to OUT_DTYPE, as detail::convert_element of plimsoll/array.h has it: complex to real drops the
// imaginary part, anything to bool asks whether it differs from zero. What an integer cannot hold becomes something.
//
//# dense: DENSE
//# strided: STRIDED
//# double_dense: DOUBLE DENSE
//# double_strided: DOUBLE STRIDED
#ifdef DOUBLE
#define ELEMENTS_FLOAT64
#endif
#include "common.glsl"
#include "elements.glsl"
#define INPUTS 1
#include "elementwise.glsl"
#include "math/bits.glsl"
#ifdef DOUBLE
#include "math/double/bits.glsl"
#define REAL double
#else
#define REAL float
#endif

bool is_integral(uint dtype) { return dtype <= DTYPE_INT64; }

// An input of real or complex numbers; its imaginary part is lost.
REAL real_of_bits(uvec2 bits) {
#ifdef DOUBLE
  if (IN_DTYPE == DTYPE_FLOAT64) return double_of_bits(bits);
#endif
  return REAL(IN_DTYPE == DTYPE_COMPLEX64 ? uintBitsToFloat(bits.x) : float_of_bits(IN_DTYPE, bits));
}

REAL real_of_long(int64_t value) { return IN_DTYPE == DTYPE_UINT64 ? REAL(uint64_t(value)) : REAL(value); }

// Truncated; 0 for NaN, the nearest end for what lies beyond 64 bits.
int64_t long_of_real(REAL value) {
  if (is_nan(value)) return 0;
  if (value >= 9223372036854775808.0) {
    const REAL rest = value - 9223372036854775808.0;
    return rest >= 9223372036854775808.0 ? int64_t(-1) : int64_t(rest) ^ (int64_t(1) << 63);
  }
  return value <= -9223372036854775808.0 ? int64_t(1) << 63 : int64_t(value);
}

bool is_set(uvec2 bits) {
  if (IN_DTYPE == DTYPE_COMPLEX64) return !is_zero(uintBitsToFloat(bits.x)) || !is_zero(uintBitsToFloat(bits.y));
  return is_integral(IN_DTYPE) ? long_of_bits(IN_DTYPE, bits) != 0 : !is_zero(real_of_bits(bits));
}

uvec2 bits_of_real(REAL value) {
#ifdef DOUBLE
  if (OUT_DTYPE == DTYPE_FLOAT64) return bits_of_double(value);
#endif
  if (OUT_DTYPE == DTYPE_COMPLEX64) return uvec2(floatBitsToUint(float(value)), 0);
  if (is_integral(OUT_DTYPE)) return bits_of_long(OUT_DTYPE, long_of_real(value));
  return bits_of_float(OUT_DTYPE, float(value));
}

uvec2 apply(uvec2 inputs[INPUTS]) {
  if (OUT_DTYPE == DTYPE_BOOL) return uvec2(is_set(inputs[0]) ? 1 : 0, 0);
  if (!is_integral(IN_DTYPE)) return bits_of_real(real_of_bits(inputs[0]));
  const int64_t value = long_of_bits(IN_DTYPE, inputs[0]);
  return is_integral(OUT_DTYPE) ? bits_of_long(OUT_DTYPE, value) : bits_of_real(real_of_long(value));
}

void main() { elementwise(); }
