#version 460
// Functions of one operand. gpu/families/unary.cpp picks the variant by dtype and the function by KIND.
//
//# float_dense: FLOAT DENSE
//# float_strided: FLOAT STRIDED
//# angle_dense: ANGLE DENSE
//# angle_strided: ANGLE STRIDED
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
#include "unary/kinds.glsl"
#define INPUTS 1
#include "elementwise.glsl"

#if defined(FLOAT)
#include "math.glsl"
#include "unary/float.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  return bits_of_float(OUT_DTYPE, apply_float(KIND, float_of_bits(IN_DTYPE, inputs[0])));
}
#elif defined(ANGLE)
#include "math.glsl"
#include "unary/angle.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  return bits_of_float(OUT_DTYPE, apply_angle(KIND, float_of_bits(IN_DTYPE, inputs[0])));
}
#elif defined(INTEGER)
#include "unary/integer.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) {
  return bits_of_long(OUT_DTYPE, apply_integer(KIND, IN_DTYPE, long_of_bits(IN_DTYPE, inputs[0])));
}
#elif defined(COMPLEX)
#include "math.glsl"
#include "math/complex.glsl"
#include "unary/complex.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) { return floatBitsToUint(apply_complex(KIND, uintBitsToFloat(inputs[0]))); }
#else
#include "math/double.glsl"
#include "unary/double.glsl"
uvec2 apply(uvec2 inputs[INPUTS]) { return bits_of_double(apply_double(KIND, double_of_bits(inputs[0]))); }
#endif

void main() { elementwise(); }
