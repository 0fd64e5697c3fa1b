#include "cpu/unary_float.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/unary_float.cpp"
#include "hwy/foreach_target.h"

#include "cpu/lanes-inl.h"
#include "cpu/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

template <class F>
HWY_INLINE void map(const float* in, float* out, int64_t count, F f) {
  const D d;
  for_vectors(d, count,
              [&](int64_t i, int64_t n) HWY_ATTR { store_part(d, f(d, load_part(d, in, i, n, 1.0f)), out, i, n); });
}

// Functions that are too rare in models for kernels of their own go through the C library.
template <class F>
void map_scalar(const float* in, float* out, int64_t count, F f) {
  for (int64_t i = 0; i < count; ++i) out[i] = f(in[i]);
}

HWY_INLINE V sign(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V magnitude = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Zero(d), one);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(magnitude, x));
}

HWY_INLINE V tangent(D d, V x) { return hn::Div(sin(d, x), cos(d, x)); }

bool run_algebraic(UnaryKind kind, const float* in, float* out, int64_t count) {
  switch (kind) {
    case UnaryKind::kAbs:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Abs(x); });
      return true;
    case UnaryKind::kNegative:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Neg(x); });
      return true;
    case UnaryKind::kSign:
      map(in, out, count, [](D d, V x) HWY_ATTR { return sign(d, x); });
      return true;
    case UnaryKind::kFloor:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Floor(x); });
      return true;
    case UnaryKind::kCeil:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Ceil(x); });
      return true;
    case UnaryKind::kRound:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Round(x); });
      return true;
    case UnaryKind::kSquare:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Mul(x, x); });
      return true;
    case UnaryKind::kSqrt:
      map(in, out, count, [](D, V x) HWY_ATTR { return hn::Sqrt(x); });
      return true;
    case UnaryKind::kRsqrt:
      map(in, out, count, [](D d, V x) HWY_ATTR { return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x)); });
      return true;
    default:
      return false;
  }
}

bool run_transcendental(UnaryKind kind, const float* in, float* out, int64_t count) {
  switch (kind) {
    case UnaryKind::kExp:
      map(in, out, count, [](D d, V x) HWY_ATTR { return exp(d, x); });
      return true;
    case UnaryKind::kExpm1:
      map(in, out, count, [](D d, V x) HWY_ATTR { return expm1(d, x); });
      return true;
    case UnaryKind::kLog:
      map(in, out, count, [](D d, V x) HWY_ATTR { return log(d, x); });
      return true;
    case UnaryKind::kLog1p:
      map(in, out, count, [](D d, V x) HWY_ATTR { return log1p(d, x); });
      return true;
    case UnaryKind::kTanh:
      map(in, out, count, [](D d, V x) HWY_ATTR { return tanh(d, x); });
      return true;
    case UnaryKind::kSigmoid:
      map(in, out, count, [](D d, V x) HWY_ATTR { return sigmoid(d, x); });
      return true;
    case UnaryKind::kErf:
      map(in, out, count, [](D d, V x) HWY_ATTR { return erf(d, x); });
      return true;
    case UnaryKind::kErfInv:
      map(in, out, count, [](D d, V x) HWY_ATTR { return erfinv(d, x); });
      return true;
    case UnaryKind::kSin:
      map(in, out, count, [](D d, V x) HWY_ATTR { return sin(d, x); });
      return true;
    case UnaryKind::kCos:
      map(in, out, count, [](D d, V x) HWY_ATTR { return cos(d, x); });
      return true;
    case UnaryKind::kTan:
      map(in, out, count, [](D d, V x) HWY_ATTR { return tangent(d, x); });
      return true;
    default:
      return false;
  }
}

void run_library(UnaryKind kind, const float* in, float* out, int64_t count) {
  switch (kind) {
    case UnaryKind::kLog2:
      return map_scalar(in, out, count, [](float x) { return std::log2(x); });
    case UnaryKind::kLog10:
      return map_scalar(in, out, count, [](float x) { return std::log10(x); });
    case UnaryKind::kArcSin:
      return map_scalar(in, out, count, [](float x) { return std::asin(x); });
    case UnaryKind::kArcCos:
      return map_scalar(in, out, count, [](float x) { return std::acos(x); });
    case UnaryKind::kArcTan:
      return map_scalar(in, out, count, [](float x) { return std::atan(x); });
    case UnaryKind::kSinh:
      return map_scalar(in, out, count, [](float x) { return std::sinh(x); });
    case UnaryKind::kCosh:
      return map_scalar(in, out, count, [](float x) { return std::cosh(x); });
    case UnaryKind::kArcSinh:
      return map_scalar(in, out, count, [](float x) { return std::asinh(x); });
    case UnaryKind::kArcCosh:
      return map_scalar(in, out, count, [](float x) { return std::acosh(x); });
    case UnaryKind::kArcTanh:
      return map_scalar(in, out, count, [](float x) { return std::atanh(x); });
    default:  // conjugate, real: of real numbers the number itself
      return map_scalar(in, out, count, [](float x) { return x; });
  }
}

void run_unary(UnaryKind kind, const float* in, float* out, int64_t count) {
  if (run_algebraic(kind, in, out, count) || run_transcendental(kind, in, out, count)) return;
  run_library(kind, in, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(run_unary);

void unary_float(UnaryKind kind, const float* in, float* out, int64_t count) {
  HWY_DYNAMIC_DISPATCH(run_unary)(kind, in, out, count);
}

}  // namespace plimsoll::cpu
#endif
