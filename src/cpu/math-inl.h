// Transcendental functions on SIMD vectors, compiled once per target (Highway's foreach_target).
//
// For float32 the project's own, with the constants of math_coefficients.h; the worst error over all inputs, in units
// in the last place of the result, stands at each function (measured by math_test over every exponent, on every
// target). They take and give denormals, signed zeros, infinities and NaN as the C library's functions do. For float64
// each lane goes through the C library. `d` is the vector's tag.

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_MATH_INL_H_
#undef PLIMSOLL_CPU_MATH_INL_H_
#else
#define PLIMSOLL_CPU_MATH_INL_H_
#endif

#include <cmath>
#include <limits>
#include <type_traits>

#include "cpu/math_coefficients.h"
#include "cpu/math_scalar.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
inline constexpr bool kIsDouble = std::is_same_v<hn::TFromD<D>, double>;

// f of every lane.
template <class D, class V, class F>
HWY_INLINE V map_lanes(D d, V x, F f) {
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(lanes[i]);
  return hn::Load(d, lanes);
}

// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
template <class D, class V, size_t N>
HWY_INLINE V polynomial(D d, V x, const float (&c)[N]) {
  V sum = hn::Set(d, c[N - 1]);
  for (size_t i = N - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

// 2^n for -126 <= n <= 127.
template <class D, class VI>
HWY_INLINE hn::Vec<D> power_of_two(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// Splits x into n ln 2 + r with |r| <= ln(2) / 2; |n| < 256.
template <class D, class V, class VI>
HWY_INLINE V reduce_by_ln2(D d, V x, VI* n) {
  *n = hn::NearestInt(hn::Mul(x, hn::Set(d, math::kLog2E)));
  const V count = hn::ConvertTo(d, *n);
  const V high = hn::NegMulAdd(count, hn::Set(d, math::kLn2High), x);
  return hn::NegMulAdd(count, hn::Set(d, math::kLn2Low), high);
}

// exp(r) - 1 for |r| <= ln(2) / 2.
template <class D, class V>
HWY_INLINE V expm1_reduced(D d, V r) {
  return hn::MulAdd(hn::Mul(r, r), polynomial(d, r, math::kExp), r);
}

// e^x. Worst error 1.0 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::exp(v); });
  } else {
    hn::Vec<hn::RebindToSigned<D>> n;
    const V clamped = hn::Min(hn::Max(x, hn::Set(d, math::kExpLowest)), hn::Set(d, math::kExpHighest));
    const V r = reduce_by_ln2(d, clamped, &n);
    const V fraction = hn::Add(hn::Set(d, 1.0f), expm1_reduced(d, r));
    // Two steps reach denormals and infinity, and round once.
    const auto half = hn::ShiftRight<1>(n);
    const V scaled = hn::Mul(hn::Mul(fraction, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
    return hn::IfThenElse(hn::IsNaN(x), x, scaled);
  }
}

// e^x - 1. Worst error 1.5 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::expm1(v); });
  } else {
    const hn::RebindToSigned<D> di;
    hn::Vec<decltype(di)> n;
    const V clamped = hn::Min(hn::Max(x, hn::Set(d, math::kExpm1Lowest)), hn::Set(d, math::kExpHighest));
    const V reduced = expm1_reduced(d, reduce_by_ln2(d, clamped, &n));
    // Half of the result first: 2^128 has no float.
    const V scale = power_of_two(d, hn::Sub(n, hn::Set(di, 1)));
    const V half = hn::MulAdd(reduced, scale, hn::Sub(scale, hn::Set(d, 0.5f)));
    const auto same = hn::Or(hn::IsNaN(x), hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-25f)));
    return hn::IfThenElse(same, x, hn::Add(half, half));
  }
}

// Splits positive x, denormals included, into 2^exponent * m with m in [sqrt(1/2), sqrt(2)).
template <class D, class V>
HWY_INLINE V split_exponent(D d, V x, V* exponent) {
  const hn::RebindToSigned<D> di;
  const auto denormal = hn::Lt(x, hn::Set(d, std::numeric_limits<float>::min()));
  const V normal = hn::IfThenElse(denormal, hn::Mul(x, hn::Set(d, 0x1p23f)), x);
  const auto bits = hn::BitCast(di, normal);
  const auto k = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, math::kSqrtHalfBits)));
  *exponent = hn::Sub(hn::ConvertTo(d, k), hn::IfThenElseZero(denormal, hn::Set(d, 23.0f)));
  return hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(k)));
}

// exponent * ln 2 + log(1 + f) + low, for 1 + f in [sqrt(1/2), sqrt(2)) and a `low` below 2^-23.
template <class D, class V>
HWY_INLINE V log_reduced(D d, V exponent, V f, V low) {
  const V square = hn::Mul(f, f);
  const V bracket = hn::MulSub(f, polynomial(d, f, math::kLog), hn::Set(d, 0.5f));
  const V small = hn::MulAdd(square, bracket, hn::MulAdd(exponent, hn::Set(d, math::kLn2Low), low));
  return hn::MulAdd(exponent, hn::Set(d, math::kLn2High), hn::Add(f, small));
}

// `value`, the logarithm of `x`, where x is positive and finite; its limits elsewhere.
template <class D, class V>
HWY_INLINE V log_special(D d, V x, V value) {
  const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
  value = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(inf), value);
  value = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), value);
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, inf)), x, value);
}

// Natural logarithm. Worst error 0.9 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::log(v); });
  } else {
    V exponent;
    const V f = hn::Sub(split_exponent(d, x, &exponent), hn::Set(d, 1.0f));
    return log_special(d, x, log_reduced(d, exponent, f, hn::Zero(d)));
  }
}

// log(1 + x). Worst error 0.9 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::log1p(v); });
  } else {
    const V one = hn::Set(d, 1.0f);
    const V sum = hn::Add(one, x);
    V exponent;
    const V f = hn::Sub(split_exponent(d, sum, &exponent), one);
    // What the sum rounded off, exact by the order of the operands; without an exponent x itself is the exact f.
    const V lost = hn::IfThenElse(hn::Ge(x, one), hn::Sub(one, hn::Sub(sum, x)), hn::Sub(x, hn::Sub(sum, one)));
    const auto whole = hn::Eq(exponent, hn::Zero(d));
    const V low = hn::IfThenElse(whole, hn::Zero(d), hn::Div(lost, sum));
    const V value = log_special(d, sum, log_reduced(d, exponent, hn::IfThenElse(whole, x, f), low));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-25f)), x, value);
  }
}

// Hyperbolic tangent. Worst error 1.4 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::tanh(v); });
  } else {
    const V one = hn::Set(d, 1.0f);
    const V a = hn::Abs(x);
    const V square = hn::Mul(a, a);
    const V small = hn::MulAdd(hn::Mul(a, square), polynomial(d, square, math::kTanh), a);
    const V grown = hn::Add(exp(d, hn::Add(a, a)), one);
    const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), grown));
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, math::kTanhSmall)), small, large), x);
  }
}

// 1 / (1 + e^-x). Worst error 2.4 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) {
      const double e = std::exp(-std::abs(v));
      return (v < 0 ? e : 1.0) / (1.0 + e);
    });
  } else {
    const V one = hn::Set(d, 1.0f);
    const V e = exp(d, hn::Neg(hn::Abs(x)));
    return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
  }
}

// Error function. Worst error 1.3 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V erf(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::erf(v); });
  } else {
    const V a = hn::Abs(x);
    const V small = hn::MulAdd(a, polynomial(d, hn::Mul(a, a), math::kErfSmall), a);
    const V clamped = hn::Min(a, hn::Set(d, math::kErfHighest));
    const V large = hn::Sub(hn::Set(d, 1.0f), exp(d, polynomial(d, clamped, math::kErfTail)));
    const V value = hn::IfThenElse(hn::Lt(a, hn::Set(d, math::kErfSwitch)), small, large);
    return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(value, x));
  }
}

// Inverse of the error function: +-infinity at +-1, NaN beyond. Worst error 2.7 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V erfinv(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return math::erfinv(v); });
  } else {
    const V one = hn::Set(d, 1.0f);
    const V a = hn::Abs(x);
    const V w = hn::Neg(log(d, hn::Mul(hn::Sub(one, a), hn::Add(one, a))));
    const V central = polynomial(d, hn::Sub(w, hn::Set(d, 2.5f)), math::kErfinvCentral);
    const V tail = polynomial(d, hn::Sub(hn::Sqrt(w), hn::Set(d, 3.0f)), math::kErfinvTail);
    const V value = hn::Mul(x, hn::IfThenElse(hn::Lt(w, hn::Set(d, math::kErfinvSwitch)), central, tail));
    const V limit = hn::CopySign(hn::Set(d, std::numeric_limits<float>::infinity()), x);
    return hn::IfThenElse(hn::Eq(a, one), limit, value);
  }
}

// x minus the nearest multiple of pi / 2; `quadrant` receives that multiple, of which the two lowest bits count.
template <class D, class V, class VI>
HWY_INLINE V reduce_by_half_pi(D d, V x, VI* quadrant) {
  const hn::RebindToSigned<D> di;
  *quadrant = hn::NearestInt(hn::Mul(x, hn::Set(d, math::kTwoOverPi)));
  const V count = hn::ConvertTo(d, *quadrant);
  V high = hn::NegMulAdd(count, hn::Set(d, math::kHalfPi[0]), x);
  high = hn::NegMulAdd(count, hn::Set(d, math::kHalfPi[1]), high);
  // Exact until here; what the next difference rounds off goes into the low part.
  const V third = hn::Mul(count, hn::Set(d, math::kHalfPi[2]));
  const V difference = hn::Sub(high, third);
  V low = hn::Sub(hn::Sub(high, difference), third);
  low = hn::NegMulAdd(count, hn::Set(d, math::kHalfPi[3]), low);
  low = hn::NegMulAdd(count, hn::Set(d, math::kHalfPi[4]), low);
  const V r = hn::Add(difference, low);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, math::kReduceHighest))))) return r;

  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  HWY_ALIGN float reduced[hn::MaxLanes(d)];
  HWY_ALIGN int32_t quadrants[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  hn::Store(r, d, reduced);
  hn::Store(*quadrant, di, quadrants);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (!(std::abs(lanes[i]) <= math::kReduceHighest)) reduced[i] = math::reduce_large(lanes[i], &quadrants[i]);
  }
  *quadrant = hn::Load(di, quadrants);
  return hn::Load(d, reduced);
}

// sin(r + quadrant * pi / 2) for |r| <= pi / 4.
template <class D, class V, class VI>
HWY_INLINE V sin_reduced(D d, V r, VI quadrant) {
  const hn::RebindToSigned<D> di;
  const V square = hn::Mul(r, r);
  const V sine = hn::MulAdd(hn::Mul(r, square), polynomial(d, square, math::kSin), r);
  const V tail = hn::MulSub(square, polynomial(d, square, math::kCos), hn::Set(d, 0.5f));
  const V cosine = hn::MulAdd(square, tail, hn::Set(d, 1.0f));
  const auto odd = hn::Ne(hn::And(quadrant, hn::Set(di, 1)), hn::Zero(di));
  const auto sign = hn::ShiftLeft<30>(hn::And(quadrant, hn::Set(di, 2)));
  return hn::Xor(hn::IfThenElse(hn::RebindMask(d, odd), cosine, sine), hn::BitCast(d, sign));
}

// Sine. Worst error 1.6 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sin(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::sin(v); });
  } else {
    hn::Vec<hn::RebindToSigned<D>> quadrant;
    const V r = reduce_by_half_pi(d, x, &quadrant);
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, sin_reduced(d, r, quadrant));
  }
}

// Cosine. Worst error 1.6 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V cos(D d, V x) {
  if constexpr (kIsDouble<D>) {
    return map_lanes(d, x, [](double v) { return std::cos(v); });
  } else {
    const hn::RebindToSigned<D> di;
    hn::Vec<decltype(di)> quadrant;
    const V r = reduce_by_half_pi(d, x, &quadrant);
    return sin_reduced(d, r, hn::Add(quadrant, hn::Set(di, 1)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // toggle
