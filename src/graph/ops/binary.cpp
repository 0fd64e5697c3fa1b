#include "graph/ops/binary.h"

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using K = BinaryKind;

// Both operands as `dtype`, broadcast to a common shape.
array binary(K kind, const array& a, const array& b, Dtype dtype, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  array left = astype(a, dtype, stream);
  array right = astype(b, dtype, stream);
  Shape shape = a.shape();
  if (a.shape() != b.shape()) {
    shape = broadcast_shapes(a.shape(), b.shape());
    left = broadcast_to(left, shape, stream);
    right = broadcast_to(right, shape, stream);
  }
  return ops::make<Binary>(std::move(shape), is_comparison(kind) ? bool_ : dtype, stream,
                           {std::move(left), std::move(right)}, kind);
}

array promoted(K kind, const array& a, const array& b, StreamOrDevice s) {
  return binary(kind, a, b, promote_types(a.dtype(), b.dtype()), s);
}

// Integers compute in float32.
array real_function(K kind, const array& a, const array& b, StreamOrDevice s) {
  return binary(kind, a, b, ops::at_least_float(promote_types(a.dtype(), b.dtype())), s);
}

array bitwise(const char* op, K kind, const array& a, const array& b, StreamOrDevice s) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (issubdtype(dtype, inexact)) ops::fail(op, "needs integers or bool; got " + std::string(name_of(dtype)));
  return binary(kind, a, b, dtype, s);
}

void refuse_complex(const char* op, const array& a, const array& b) {
  if (promote_types(a.dtype(), b.dtype()) == complex64) ops::fail(op, "is not defined for complex64");
}

// The cotangents for the operands, each times the derivative in that operand.
array vjp_left(K kind, const array& a, const array& b, const array&, const array& ct, Stream s) {
  switch (kind) {
    case K::kAdd:
    case K::kSubtract:
      return ct;
    case K::kMultiply:
      return multiply(ct, b, s);
    case K::kDivide:
      return divide(ct, b, s);
    case K::kRemainder:
      return ct;
    case K::kPower: {
      // b x^(b-1), and 0 where b is 0 even though x^(b-1) may be infinite there.
      const array slope = multiply(b, power(a, subtract(b, array(1, b.dtype()), s), s), s);
      return multiply(ct, where(equal(b, array(0, b.dtype()), s), zeros_like(b, s), slope, s), s);
    }
    case K::kMaximum:
      return where(greater(a, b, s), ct, zeros_like(ct, s), s);
    case K::kMinimum:
      return where(less(a, b, s), ct, zeros_like(ct, s), s);
    case K::kLogAddExp:
      return multiply(ct, sigmoid(subtract(a, b, s), s), s);
    case K::kArcTan2:
      return multiply(ct, divide(b, add(square(a, s), square(b, s), s), s), s);
    case K::kSwiGLU: {
      const array gate = sigmoid(a, s);
      const array slope = add(gate, multiply(multiply(a, gate, s), subtract(array(1, a.dtype()), gate, s), s), s);
      return multiply(multiply(ct, b, s), slope, s);
    }
    default:
      return zeros_like(a, s);
  }
}

array vjp_right(K kind, const array& a, const array& b, const array& out, const array& ct, Stream s) {
  switch (kind) {
    case K::kAdd:
      return ct;
    case K::kSubtract:
      return negative(ct, s);
    case K::kMultiply:
      return multiply(ct, a, s);
    case K::kDivide:
      return negative(divide(multiply(ct, out, s), b, s), s);
    case K::kRemainder:
      return negative(multiply(ct, floor_divide(a, b, s), s), s);
    case K::kPower: {
      // x^b log x, and 0 where x is 0.
      const array zero = equal(a, array(0, a.dtype()), s);
      const array safe = where(zero, ones_like(a, s), a, s);
      return multiply(ct, where(zero, zeros_like(a, s), multiply(out, log(safe, s), s), s), s);
    }
    case K::kMaximum:
      return where(greater(a, b, s), zeros_like(ct, s), ct, s);
    case K::kMinimum:
      return where(less(a, b, s), zeros_like(ct, s), ct, s);
    case K::kLogAddExp:
      return multiply(ct, sigmoid(subtract(b, a, s), s), s);
    case K::kArcTan2:
      return negative(multiply(ct, divide(a, add(square(a, s), square(b, s), s), s), s), s);
    case K::kSwiGLU:
      return multiply(ct, multiply(a, sigmoid(a, s), s), s);
    default:
      return zeros_like(b, s);
  }
}

}  // namespace

const char* Binary::name() const {
  switch (kind_) {
#define PLIMSOLL_CASE(kind) \
  case K::k##kind:          \
    return #kind;
    PLIMSOLL_FOR_EACH_BINARY(PLIMSOLL_CASE)
#undef PLIMSOLL_CASE
  }
  __builtin_unreachable();
}

void Binary::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_elementwise(inputs, outputs, plans);
}

std::vector<array> Binary::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                               const std::vector<int>& argnums, const std::vector<array>& outputs) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    const auto rule = argnum == 0 ? vjp_left : vjp_right;
    products.push_back(rule(kind_, primals[0], primals[1], outputs[0], cotangents[0], stream()));
  }
  return products;
}

bool Binary::is_equivalent(const Primitive& other) const { return kind_ == static_cast<const Binary&>(other).kind_; }

#define PLIMSOLL_PROMOTED(function, kind) \
  array function(const array& a, const array& b, StreamOrDevice s) { return promoted(K::kind, a, b, s); }
PLIMSOLL_PROMOTED(add, kAdd)
PLIMSOLL_PROMOTED(subtract, kSubtract)
PLIMSOLL_PROMOTED(multiply, kMultiply)
PLIMSOLL_PROMOTED(maximum, kMaximum)
PLIMSOLL_PROMOTED(minimum, kMinimum)
PLIMSOLL_PROMOTED(power, kPower)
PLIMSOLL_PROMOTED(equal, kEqual)
PLIMSOLL_PROMOTED(not_equal, kNotEqual)
PLIMSOLL_PROMOTED(greater, kGreater)
PLIMSOLL_PROMOTED(greater_equal, kGreaterEqual)
PLIMSOLL_PROMOTED(less, kLess)
PLIMSOLL_PROMOTED(less_equal, kLessEqual)
#undef PLIMSOLL_PROMOTED

array divide(const array& a, const array& b, StreamOrDevice s) { return real_function(K::kDivide, a, b, s); }
array logaddexp(const array& a, const array& b, StreamOrDevice s) {
  refuse_complex("logaddexp", a, b);
  return real_function(K::kLogAddExp, a, b, s);
}
array arctan2(const array& a, const array& b, StreamOrDevice s) {
  refuse_complex("arctan2", a, b);
  return real_function(K::kArcTan2, a, b, s);
}

array remainder(const array& a, const array& b, StreamOrDevice s) {
  refuse_complex("remainder", a, b);
  return promoted(K::kRemainder, a, b, s);
}

array floor_divide(const array& a, const array& b, StreamOrDevice s) {
  refuse_complex("floor_divide", a, b);
  return promoted(K::kFloorDivide, a, b, s);
}

std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s) {
  return {floor_divide(a, b, s), remainder(a, b, s)};
}

array logical_and(const array& a, const array& b, StreamOrDevice s) { return binary(K::kLogicalAnd, a, b, bool_, s); }
array logical_or(const array& a, const array& b, StreamOrDevice s) { return binary(K::kLogicalOr, a, b, bool_, s); }
array operator&&(const array& a, const array& b) { return logical_and(a, b); }
array operator||(const array& a, const array& b) { return logical_or(a, b); }

array bitwise_and(const array& a, const array& b, StreamOrDevice s) {
  return bitwise("bitwise_and", K::kBitwiseAnd, a, b, s);
}
array bitwise_or(const array& a, const array& b, StreamOrDevice s) {
  return bitwise("bitwise_or", K::kBitwiseOr, a, b, s);
}
array bitwise_xor(const array& a, const array& b, StreamOrDevice s) {
  return bitwise("bitwise_xor", K::kBitwiseXor, a, b, s);
}
array left_shift(const array& a, const array& b, StreamOrDevice s) {
  return bitwise("left_shift", K::kLeftShift, a, b, s);
}
array right_shift(const array& a, const array& b, StreamOrDevice s) {
  return bitwise("right_shift", K::kRightShift, a, b, s);
}
array operator&(const array& a, const array& b) { return bitwise_and(a, b); }
array operator|(const array& a, const array& b) { return bitwise_or(a, b); }
array operator^(const array& a, const array& b) { return bitwise_xor(a, b); }
array operator<<(const array& a, const array& b) { return left_shift(a, b); }
array operator>>(const array& a, const array& b) { return right_shift(a, b); }

array isclose(const array& a, const array& b, double rtol, double atol, bool equal_nan, StreamOrDevice s) {
  // Infinities are close to themselves alone; NaN only if asked.
  const Dtype dtype = ops::at_least_float(promote_types(a.dtype(), b.dtype()));
  const array x = astype(a, dtype, s);
  const array y = astype(b, dtype, s);
  const array magnitude = abs(y, s);
  const array bound = add(array(atol, magnitude.dtype()), multiply(array(rtol, magnitude.dtype()), magnitude, s), s);
  array close = less_equal(abs(subtract(x, y, s), s), bound, s);
  close = logical_and(close, logical_and(isfinite(x, s), isfinite(y, s), s), s);
  close = logical_or(close, equal(x, y, s), s);
  if (equal_nan) close = logical_or(close, logical_and(isnan(x, s), isnan(y, s), s), s);
  return close;
}

array allclose(const array& a, const array& b, double rtol, double atol, bool equal_nan, StreamOrDevice s) {
  return all(isclose(a, b, rtol, atol, equal_nan, s), false, s);
}

array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s) {
  if (a.shape() != b.shape()) return array(false);
  array same = equal(a, b, s);
  if (equal_nan && issubdtype(a.dtype(), inexact) && issubdtype(b.dtype(), inexact)) {
    same = logical_or(same, logical_and(isnan(a, s), isnan(b, s), s), s);
  }
  return all(same, false, s);
}

namespace fast {

array swiglu(const array& gate, const array& up, StreamOrDevice s) {
  refuse_complex("swiglu", gate, up);
  return real_function(K::kSwiGLU, gate, up, s);
}

}  // namespace fast
}  // namespace plimsoll
