#version 460
// Functions of two operands. gpu/families/binary.cpp picks the variant by dtype and the function by KIND.
//
//# float_dense: FLOAT DENSE
//# float_strided: FLOAT STRIDED
//# integer_dense: INTEGER DENSE
//# integer_strided: INTEGER STRIDED
//# complex_dense: COMPLEX DENSE
//# complex_strided: COMPLEX STRIDED
//# double_dense: DOUBLE DENSE
//# double_strided: DOUBLE STRIDED
#ifdef DOUBLE
#define ELEMENTS_FLOAT64
#endif
#include "common.glsl"
#include "elements.glsl"
#include "binary/kinds.glsl"
#define INPUTS 2
#include "elementwise.glsl"

uvec2 bits_of_bool(bool value) { return uvec2(value ? 1 : 0, 0); }

#if defined(FLOAT)
#include "math.glsl"
#include "binary/float.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  const float a = float_of_bits(IN_DTYPE, inputs[0]);
  const float b = float_of_bits(IN_DTYPE, inputs[1]);
  if (is_comparison(KIND)) return bits_of_bool(compare_float(KIND, a, b));
  return bits_of_float(OUT_DTYPE, apply_float(KIND, a, b));
}
#elif defined(INTEGER)
#include "binary/integer.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  const int64_t a = long_of_bits(IN_DTYPE, inputs[0]);
  const int64_t b = long_of_bits(IN_DTYPE, inputs[1]);
  if (is_comparison(KIND)) return bits_of_bool(compare_integer(KIND, IN_DTYPE, a, b));
  return bits_of_long(OUT_DTYPE, apply_integer(KIND, IN_DTYPE, a, b));
}
#elif defined(COMPLEX)
#include "math.glsl"
#include "math/complex.glsl"
#include "binary/float.glsl"
#include "binary/complex.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  const vec2 a = uintBitsToFloat(inputs[0]);
  const vec2 b = uintBitsToFloat(inputs[1]);
  if (is_comparison(KIND)) return bits_of_bool(compare_complex(KIND, a, b));
  return floatBitsToUint(apply_complex(KIND, a, b));
}
#else
#include "math/double.glsl"
#include "binary/double.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  const double a = double_of_bits(inputs[0]);
  const double b = double_of_bits(inputs[1]);
  if (is_comparison(KIND)) return bits_of_bool(compare_double(KIND, a, b));
  return bits_of_double(apply_double(KIND, a, b));
}
#endif

void main() { elementwise(); }
