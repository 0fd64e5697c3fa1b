// The parts of the transcendental functions that work on one value at a time (math-inl.h holds the rest).
#pragma once

#include <cstdint>

namespace plimsoll::cpu::math {

// x minus the nearest multiple of pi / 2, for finite |x| >= 2^13; `quadrant` receives that multiple modulo 4. NaN for
// infinity and NaN. Multiplies the 24-bit significand with the 96 bits of 2 / pi that matter (Payne and Hanek, 1983),
// in operations that GLSL has too.
float reduce_large(float x, int32_t* quadrant);

// Inverse of the error function: +-infinity at +-1, NaN beyond. Worst error a few ulp.
double erfinv(double x);

}  // namespace plimsoll::cpu::math
