#include "cpu/binary_float.h"

#include <cmath>

#include "cpu/binary_scalar.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/binary_float.cpp"
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
HWY_INLINE void map2(const float* a, const float* b, float* out, int64_t count, F f) {
  const D d;
  for_vectors(d, count, [&](int64_t i, int64_t n) HWY_ATTR {
    store_part(d, f(d, load_part(d, a, i, n, 1.0f), load_part(d, b, i, n, 1.0f)), out, i, n);
  });
}

// The operand that is NaN, if one is.
HWY_INLINE V or_nan(V a, V b, V chosen) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, chosen));
}

HWY_INLINE V log_add_exp(D d, V a, V b) {
  const V larger = hn::Max(a, b);
  const V smaller = hn::Min(a, b);
  const V sum = hn::Add(larger, log1p(d, exp(d, hn::Sub(smaller, larger))));
  // Equal infinities have no difference; their sum is that infinity (or twice +inf).
  const V special = hn::IfThenElse(hn::Eq(hn::Abs(larger), hn::Set(d, HUGE_VALF)), larger, sum);
  return or_nan(a, b, special);
}

void run_binary(BinaryKind kind, const float* a, const float* b, float* out, int64_t count) {
  switch (kind) {
    case BinaryKind::kAdd:
      return map2(a, b, out, count, [](D, V x, V y) HWY_ATTR { return hn::Add(x, y); });
    case BinaryKind::kSubtract:
      return map2(a, b, out, count, [](D, V x, V y) HWY_ATTR { return hn::Sub(x, y); });
    case BinaryKind::kMultiply:
      return map2(a, b, out, count, [](D, V x, V y) HWY_ATTR { return hn::Mul(x, y); });
    case BinaryKind::kDivide:
      return map2(a, b, out, count, [](D, V x, V y) HWY_ATTR { return hn::Div(x, y); });
    case BinaryKind::kMaximum:
      return map2(a, b, out, count, [](D, V x, V y) HWY_ATTR { return or_nan(x, y, hn::Max(x, y)); });
    case BinaryKind::kMinimum:
      return map2(a, b, out, count, [](D, V x, V y) HWY_ATTR { return or_nan(x, y, hn::Min(x, y)); });
    case BinaryKind::kLogAddExp:
      return map2(a, b, out, count, [](D d, V x, V y) HWY_ATTR { return log_add_exp(d, x, y); });
    case BinaryKind::kSwiGLU:
      return map2(a, b, out, count, [](D d, V x, V y) HWY_ATTR { return hn::Mul(hn::Mul(x, sigmoid(d, x)), y); });
    default:
      for (int64_t i = 0; i < count; ++i) out[i] = apply_real(kind, a[i], b[i]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(run_binary);

void binary_float(BinaryKind kind, const float* a, const float* b, float* out, int64_t count) {
  HWY_DYNAMIC_DISPATCH(run_binary)(kind, a, b, out, count);
}

}  // namespace plimsoll::cpu
#endif
