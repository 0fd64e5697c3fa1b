// Transcendental functions in float64, for devices that have it: double_exp(x) and so on, to a few units in the last
// place. Series and exact constants; speed is no object where float64 is wanted.
#include "math/double/bits.glsl"
#include "math/double/exponential.glsl"
#include "math/double/trigonometric.glsl"
#include "math/double/error_function.glsl"
#include "math/double/power.glsl"
