#include "graph/ops/unary.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using K = UnaryKind;

array unary(K kind, const array& a, Dtype dtype, StreamOrDevice s) {
  return ops::make<Unary>(a.shape(), dtype, to_stream(s), {a}, kind);
}

// A function that keeps its operand's dtype.
array same(K kind, const array& a, StreamOrDevice s) { return unary(kind, a, a.dtype(), s); }

// A function of real (or complex) numbers.
array real_function(K kind, const array& a, StreamOrDevice s) {
  const Dtype dtype = ops::at_least_float(a.dtype());
  return unary(kind, astype(a, dtype, s), dtype, s);
}

void refuse_complex(const char* op, const array& a) {
  if (a.dtype() == complex64) ops::fail(op, "is not defined for complex64");
}

array constant(double value, const array& like) { return array(value, like.dtype()); }

// d f(x) / dx times the cotangent, where f is differentiable.
array derivative(K kind, const array& x, const array& y, const array& ct, Stream s) {
  const auto one_minus = [&](const array& v) { return subtract(constant(1, v), v, s); };
  const auto one_plus = [&](const array& v) { return add(constant(1, v), v, s); };
  const auto over_root = [&](const array& v) { return multiply(ct, rsqrt(v, s), s); };
  switch (kind) {
    case K::kAbs:
      return multiply(ct, sign(x, s), s);
    case K::kArcCos:
      return negative(over_root(one_minus(square(x, s))), s);
    case K::kArcCosh:
      return over_root(subtract(square(x, s), constant(1, x), s));
    case K::kArcSin:
      return over_root(one_minus(square(x, s)));
    case K::kArcSinh:
      return over_root(one_plus(square(x, s)));
    case K::kArcTan:
      return divide(ct, one_plus(square(x, s)), s);
    case K::kArcTanh:
      return divide(ct, one_minus(square(x, s)), s);
    case K::kCos:
      return negative(multiply(ct, sin(x, s), s), s);
    case K::kCosh:
      return multiply(ct, sinh(x, s), s);
    case K::kErf:
      return multiply(multiply(ct, constant(2 / std::sqrt(std::numbers::pi), x), s), exp(negative(square(x, s), s), s),
                      s);
    case K::kErfInv:
      return multiply(multiply(ct, constant(std::sqrt(std::numbers::pi) / 2, x), s), exp(square(y, s), s), s);
    case K::kExp:
      return multiply(ct, y, s);
    case K::kExpm1:
      return multiply(ct, one_plus(y), s);
    case K::kLog:
      return divide(ct, x, s);
    case K::kLog10:
      return divide(ct, multiply(x, constant(std::numbers::ln10, x), s), s);
    case K::kLog1p:
      return divide(ct, one_plus(x), s);
    case K::kLog2:
      return divide(ct, multiply(x, constant(std::numbers::ln2, x), s), s);
    case K::kNegative:
      return negative(ct, s);
    case K::kRsqrt:
      return multiply(multiply(ct, constant(-0.5, x), s), divide(y, x, s), s);
    case K::kSigmoid:
      return multiply(ct, multiply(y, one_minus(y), s), s);
    case K::kSin:
      return multiply(ct, cos(x, s), s);
    case K::kSinh:
      return multiply(ct, cosh(x, s), s);
    case K::kSqrt:
      return divide(multiply(ct, constant(0.5, x), s), y, s);
    case K::kSquare:
      return multiply(ct, multiply(constant(2, x), x, s), s);
    case K::kTan:
      return multiply(ct, one_plus(square(y, s)), s);
    case K::kTanh:
      return multiply(ct, one_minus(square(y, s)), s);
    case K::kConjugate:
      return conjugate(ct, s);
    case K::kReal:
      return astype(ct, x.dtype(), s);
    case K::kImag:
      return multiply(astype(ct, x.dtype(), s), array(complex64_t(0.0f, 1.0f)), s);
    default:  // piecewise constant
      return zeros_like(x, s);
  }
}

}  // namespace

const char* Unary::name() const {
  switch (kind_) {
#define PLIMSOLL_CASE(kind) \
  case K::k##kind:          \
    return #kind;
    PLIMSOLL_FOR_EACH_UNARY(PLIMSOLL_CASE)
#undef PLIMSOLL_CASE
  }
  __builtin_unreachable();
}

void Unary::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_elementwise(inputs, outputs, plans);
}

std::vector<array> Unary::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                              const std::vector<int>&, const std::vector<array>& outputs) {
  return {derivative(kind_, primals[0], outputs[0], cotangents[0], stream())};
}

bool Unary::is_equivalent(const Primitive& other) const { return kind_ == static_cast<const Unary&>(other).kind_; }

#define PLIMSOLL_REAL_FUNCTION(function, kind) \
  array function(const array& a, StreamOrDevice s) { return real_function(K::kind, a, s); }
PLIMSOLL_REAL_FUNCTION(exp, kExp)
PLIMSOLL_REAL_FUNCTION(expm1, kExpm1)
PLIMSOLL_REAL_FUNCTION(log, kLog)
PLIMSOLL_REAL_FUNCTION(log2, kLog2)
PLIMSOLL_REAL_FUNCTION(log10, kLog10)
PLIMSOLL_REAL_FUNCTION(log1p, kLog1p)
PLIMSOLL_REAL_FUNCTION(sin, kSin)
PLIMSOLL_REAL_FUNCTION(cos, kCos)
PLIMSOLL_REAL_FUNCTION(tan, kTan)
PLIMSOLL_REAL_FUNCTION(arcsin, kArcSin)
PLIMSOLL_REAL_FUNCTION(arccos, kArcCos)
PLIMSOLL_REAL_FUNCTION(arctan, kArcTan)
PLIMSOLL_REAL_FUNCTION(sinh, kSinh)
PLIMSOLL_REAL_FUNCTION(cosh, kCosh)
PLIMSOLL_REAL_FUNCTION(tanh, kTanh)
PLIMSOLL_REAL_FUNCTION(arcsinh, kArcSinh)
PLIMSOLL_REAL_FUNCTION(arccosh, kArcCosh)
PLIMSOLL_REAL_FUNCTION(arctanh, kArcTanh)
PLIMSOLL_REAL_FUNCTION(sigmoid, kSigmoid)
PLIMSOLL_REAL_FUNCTION(sqrt, kSqrt)
PLIMSOLL_REAL_FUNCTION(rsqrt, kRsqrt)
#undef PLIMSOLL_REAL_FUNCTION

array erf(const array& a, StreamOrDevice s) {
  refuse_complex("erf", a);
  return real_function(K::kErf, a, s);
}

array erfinv(const array& a, StreamOrDevice s) {
  refuse_complex("erfinv", a);
  return real_function(K::kErfInv, a, s);
}

array abs(const array& a, StreamOrDevice s) {
  return unary(K::kAbs, a, a.dtype() == complex64 ? float32 : a.dtype(), s);
}

array negative(const array& a, StreamOrDevice s) {
  if (a.dtype() == bool_) ops::fail("negative", "is not defined for bool; use logical_not");
  return same(K::kNegative, a, s);
}
array operator-(const array& a) { return negative(a); }

array sign(const array& a, StreamOrDevice s) { return same(K::kSign, a, s); }
array square(const array& a, StreamOrDevice s) { return same(K::kSquare, a, s); }
array logical_not(const array& a, StreamOrDevice s) { return unary(K::kLogicalNot, astype(a, bool_, s), bool_, s); }

array bitwise_invert(const array& a, StreamOrDevice s) {
  if (issubdtype(a.dtype(), inexact))
    ops::fail("bitwise_invert", "needs integers or bool; got " + std::string(name_of(a.dtype())));
  return same(K::kBitwiseInvert, a, s);
}
array operator~(const array& a) { return bitwise_invert(a); }

array floor(const array& a, StreamOrDevice s) {
  refuse_complex("floor", a);
  return same(K::kFloor, a, s);
}

array ceil(const array& a, StreamOrDevice s) {
  refuse_complex("ceil", a);
  return same(K::kCeil, a, s);
}

array round(const array& a, int decimals, StreamOrDevice s) {
  if (decimals == 0) return same(K::kRound, a, s);
  const bool is_integer = !issubdtype(a.dtype(), inexact);
  if (is_integer && decimals > 0) return a;
  const Dtype dtype = is_integer ? float32 : a.dtype();
  const array scale(std::pow(10.0f, static_cast<float>(std::abs(decimals))), dtype);
  const array wide = astype(a, dtype, s);
  const array scaled = decimals > 0 ? multiply(wide, scale, s) : divide(wide, scale, s);
  const array rounded = same(K::kRound, scaled, s);
  return astype(decimals > 0 ? divide(rounded, scale, s) : multiply(rounded, scale, s), a.dtype(), s);
}

array reciprocal(const array& a, StreamOrDevice s) { return divide(array(1.0f, ops::at_least_float(a.dtype())), a, s); }

array degrees(const array& a, StreamOrDevice s) {
  return multiply(a, array(180 / std::numbers::pi, ops::at_least_float(a.dtype())), s);
}

array radians(const array& a, StreamOrDevice s) {
  return multiply(a, array(std::numbers::pi / 180, ops::at_least_float(a.dtype())), s);
}

array real(const array& a, StreamOrDevice s) { return a.dtype() == complex64 ? unary(K::kReal, a, float32, s) : a; }
array imag(const array& a, StreamOrDevice s) {
  return a.dtype() == complex64 ? unary(K::kImag, a, float32, s) : zeros_like(a, s);
}
array conjugate(const array& a, StreamOrDevice s) { return a.dtype() == complex64 ? same(K::kConjugate, a, s) : a; }

array isnan(const array& a, StreamOrDevice s) {
  if (!issubdtype(a.dtype(), inexact)) return full(a.shape(), false, bool_, s);
  return not_equal(a, a, s);
}

array isinf(const array& a, StreamOrDevice s) {
  if (a.dtype() == complex64) return logical_or(isinf(real(a, s), s), isinf(imag(a, s), s), s);
  return logical_or(isposinf(a, s), isneginf(a, s), s);
}

array isfinite(const array& a, StreamOrDevice s) {
  if (!issubdtype(a.dtype(), inexact)) return full(a.shape(), true, bool_, s);
  return logical_not(logical_or(isnan(a, s), isinf(a, s), s), s);
}

namespace {

array is_infinity(const array& a, float infinity, StreamOrDevice s) {
  if (!issubdtype(a.dtype(), floating)) return full(a.shape(), false, bool_, s);
  return equal(a, array(infinity, a.dtype()), s);
}

double largest_finite(Dtype dtype) {
  switch (dtype.val()) {
    case Dtype::Val::float16:
      return 65504.0;
    case Dtype::Val::bfloat16:
      return 0x1.fep127;
    case Dtype::Val::float64:
      return std::numeric_limits<double>::max();
    default:
      return std::numeric_limits<float>::max();
  }
}

}  // namespace

array isposinf(const array& a, StreamOrDevice s) { return is_infinity(a, std::numeric_limits<float>::infinity(), s); }
array isneginf(const array& a, StreamOrDevice s) { return is_infinity(a, -std::numeric_limits<float>::infinity(), s); }

array nan_to_num(const array& a, float nan, std::optional<float> posinf, std::optional<float> neginf,
                 StreamOrDevice s) {
  if (!issubdtype(a.dtype(), inexact)) return a;
  refuse_complex("nan_to_num", a);
  const double largest = largest_finite(a.dtype());
  const auto typed = [&](double value) { return array(value, a.dtype()); };
  array out = where(isnan(a, s), typed(nan), a, s);
  out = where(isposinf(a, s), typed(posinf ? static_cast<double>(*posinf) : largest), out, s);
  return where(isneginf(a, s), typed(neginf ? static_cast<double>(*neginf) : -largest), out, s);
}

}  // namespace plimsoll
