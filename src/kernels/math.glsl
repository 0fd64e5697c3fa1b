// Transcendental functions in float32: the project's own, because GLSL's are off by up to thousands of units in the
// last place on some drivers. Where the CPU has a function of its own (cpu/math-inl.h), this is the same algorithm with
// the coefficients of cpu/math_coefficients.h. The worst error of each stands beside it, in units in the last place.
//
// They take and give signed zeros, infinities and NaN as the C library's functions do, told apart by their bits, since a
// driver may assume that there are none. Subnormal numbers count where the device keeps them.
//
// math_exp(x) and so on; math/double.glsl has the float64 ones. Include after common.glsl.
#include "math/bits.glsl"
#include "math/exponential.glsl"
#include "math/hyperbolic.glsl"
#include "math/trigonometric.glsl"
#include "math/inverse_trigonometric.glsl"
#include "math/error_function.glsl"
#include "math/power.glsl"
