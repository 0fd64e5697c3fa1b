// Constants of the project's transcendental functions, shared by the CPU's SIMD code (math-inl.h) and the GPU kernels.
//
// Polynomials are minimax fits, lowest degree first, their coefficients rounded to float32 one after the other with a
// new fit of the rest. The fit's own error is stated in units of 2^-24 relative to the function's result. Split
// constants are cut so that the products in a range reduction are exact in float32: with and without FMA the reduction
// gives one result.
#pragma once

#include <cstdint>

namespace plimsoll::cpu::math {

inline constexpr float kLog2E = 0x1.715476p+0f;
inline constexpr float kLn2High = 0x1.62e4p-1f;  // 15 bits: exact times any exponent
inline constexpr float kLn2Low = 0x1.7f7d1cp-20f;

// (exp(r) - 1 - r) / r^2 on |r| <= 0.3475: 0.01
inline constexpr float kExp[] = {0.5f, 0.16666666f, 0.041666493f, 0.008333543f, 0.0013932381f, 0.00019764414f};
// exp(x) rounds to zero below the first and to infinity above the second.
inline constexpr float kExpLowest = -105.0f;
inline constexpr float kExpHighest = 89.0f;
// expm1(x) rounds to -1 below.
inline constexpr float kExpm1Lowest = -18.0f;

// (log(1 + f) - f + f^2 / 2) / f^3 on 1 + f in [sqrt(1/2), sqrt(2)]: 0.02
inline constexpr float kLog[] = {0.33333313f, -0.2500001f,  0.20002072f,  -0.16667989f, 0.1422036f,
                                 -0.1240624f, 0.118835375f, -0.11670025f, 0.0674919f};
inline constexpr int32_t kSqrtHalfBits = 0x3f3504f3;

// (tanh(x) - x) / x^3 in x^2, |x| <= 0.6: 0.05
inline constexpr float kTanh[] = {-0.333333f, 0.13331936f, -0.053784717f, 0.020798625f, -0.0058979667f};
inline constexpr float kTanhSmall = 0.6f;

// erf(x) / x - 1 in x^2, |x| <= 0.93: 0.02
inline constexpr float kErfSmall[] = {0.12837917f,  -0.3761263f,     0.11283626f, -0.026855731f,
                                      0.005192405f, -0.00080497697f, 7.99665e-05f};
inline constexpr float kErfSwitch = 0.921875f;
// log(erfc(x)) on [0.92, 4]: 0.001
inline constexpr float kErfTail[] = {0.00017468327f, -1.1295149f,    -0.63334686f,   -0.10828024f,
                                     0.025119625f,   -0.0041711926f, 0.00043450465f, -2.1100403e-05f};
// erf(x) rounds to 1 above.
inline constexpr float kErfHighest = 4.0f;

// erfinv(x) / x with w = -log(1 - x^2): in w - 2.5 for w < 5 (0.7), in sqrt(w) - 3 above (0.2).
inline constexpr float kErfinvCentral[] = {1.5014094f,     0.24664028f,    -0.0041776686f,  -0.0012527556f,
                                           0.00021857733f, -4.943461e-06f, -3.5236185e-06f, 4.599427e-07f,
                                           2.8180096e-08f, -8.236154e-09f};
inline constexpr float kErfinvTail[] = {2.8329768f,     1.001675f,     0.009444818f,   -0.0076378454f,  0.005689589f,
                                        -0.0035964032f, 0.0014793875f, -5.574986e-05f, -0.00030524135f, 0.0001134017f};
inline constexpr float kErfinvSwitch = 5.0f;

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi / 4: 0.01 and 0.01
inline constexpr float kSin[] = {-0.16666667f, 0.008333379f, -0.00019853069f, 2.8326294e-06f};
inline constexpr float kCos[] = {0.041666646f, -0.001388731f, 2.4432327e-05f};

// pi / 2 in parts of 11 bits (the last is full): products with counts up to 2^13 are exact.
inline constexpr float kHalfPi[] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68cp-39f, 0x1.1a6264p-54f};
inline constexpr float kTwoOverPi = 0x1.45f306p-1f;
// Above this |x| the parts of pi / 2 do not suffice, and the bits of 2 / pi are multiplied instead (reduce_large).
inline constexpr float kReduceHighest = 8192.0f;
// A zero word, then the bits of 2 / pi after the binary point.
inline constexpr uint32_t kTwoOverPiBits[] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                              0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};

}  // namespace plimsoll::cpu::math
