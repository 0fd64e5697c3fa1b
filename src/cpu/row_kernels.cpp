#include "cpu/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/row_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "cpu/lanes-inl.h"
#include "cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls f with a value of the element type.
template <typename F>
HWY_INLINE void dispatch_element(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::Val::float16:
      return f(float16_t{});
    case Dtype::Val::bfloat16:
      return f(bfloat16_t{});
    case Dtype::Val::float64:
      return f(double{});
    default:
      return f(float{});
  }
}

// The sum over a row of f(vector of elements); lanes beyond the end count as f(0) is expected to be 0.
template <typename T, typename F>
HWY_INLINE Wide<T> sum_row(const T* x, int64_t length, F f) {
  const hn::ScalableTag<Wide<T>> d;
  auto sum = hn::Zero(d);
  for_vectors(d, length, [&](int64_t i, int64_t n) HWY_ATTR { sum = hn::Add(sum, f(load_part(d, x, i, n, T(0)))); });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// out[i] = f(x[i], i, n) for vectors of n elements from i on.
template <typename T, typename F>
HWY_INLINE void map_row(const T* x, T* out, int64_t length, F f) {
  const hn::ScalableTag<Wide<T>> d;
  for_vectors(d, length,
              [&](int64_t i, int64_t n) HWY_ATTR { store_part(d, f(load_part(d, x, i, n, T(0)), i, n), out, i, n); });
}

// Maximum, and the sum of exp(x - base), where base is the maximum, or 0 where that is infinite.
template <typename C>
struct ExpSum {
  C maximum = -std::numeric_limits<C>::infinity();
  C sum = 0;

  C base() const { return std::isinf(maximum) ? C{0} : maximum; }
};

// Adds a block that fits the first-level cache.
template <typename T, typename C = Wide<T>>
HWY_INLINE void add_block(const T* x, int64_t length, ExpSum<C>& state) {
  const hn::ScalableTag<C> d;
  const T lowest = T(-std::numeric_limits<float>::infinity());
  auto highest = hn::Set(d, state.maximum);
  for_vectors(d, length,
              [&](int64_t i, int64_t n) HWY_ATTR { highest = hn::Max(highest, load_part(d, x, i, n, lowest)); });
  const C before = state.maximum;
  state.maximum = hn::GetLane(hn::MaxOfLanes(d, highest));
  const C base = state.base();
  auto sum = hn::Zero(d);
  for_vectors(d, length, [&](int64_t i, int64_t n) HWY_ATTR {
    sum = hn::Add(sum, exp(d, hn::Sub(load_part(d, x, i, n, lowest), hn::Set(d, base))));
  });
  const C kept = state.sum == 0 ? C{0} : state.sum * std::exp(before - base);
  state.sum = kept + hn::GetLane(hn::SumOfLanes(d, sum));
}

template <typename T, typename C = Wide<T>>
HWY_INLINE ExpSum<C> exp_sum(const T* x, int64_t length) {
  constexpr int64_t kBlock = 2048;
  ExpSum<C> state;
  for (int64_t i = 0; i < length; i += kBlock) add_block(x + i, std::min(kBlock, length - i), state);
  return state;
}

template <typename T>
void softmax_of(const T* x, T* out, int64_t length) {
  using C = Wide<T>;
  const hn::ScalableTag<C> d;
  const ExpSum<C> state = exp_sum(x, length);
  const bool unbounded = state.maximum == std::numeric_limits<C>::infinity();
  const auto scale = hn::Set(d, unbounded ? std::numeric_limits<C>::quiet_NaN() : C{1} / state.sum);
  const auto base = hn::Set(d, state.base());
  map_row(x, out, length, [&](auto v, int64_t, int64_t) HWY_ATTR { return hn::Mul(exp(d, hn::Sub(v, base)), scale); });
}

void softmax(Dtype dtype, const std::byte* x, std::byte* out, int64_t length) {
  dispatch_element(
      dtype, [&]<typename T>(T) { softmax_of(reinterpret_cast<const T*>(x), reinterpret_cast<T*>(out), length); });
}

void logsumexp(Dtype dtype, const std::byte* x, std::byte* out, int64_t length) {
  dispatch_element(dtype, [&]<typename T>(T) {
    const auto state = exp_sum(reinterpret_cast<const T*>(x), length);
    *reinterpret_cast<T*>(out) = T(state.base() + std::log(state.sum));
  });
}

template <typename T>
void rms_norm_of(const T* x, const T* weight, T* out, int64_t length, double eps) {
  using C = Wide<T>;
  const hn::ScalableTag<C> d;
  const C squares = sum_row(x, length, [&](auto v) HWY_ATTR { return hn::Mul(v, v); });
  const auto scale = hn::Set(d, C{1} / std::sqrt(squares / static_cast<C>(length) + static_cast<C>(eps)));
  map_row(x, out, length, [&](auto v, int64_t i, int64_t n) HWY_ATTR {
    const auto normal = hn::Mul(v, scale);
    return weight ? hn::Mul(normal, load_part(d, weight, i, n, T(0))) : normal;
  });
}

void rms_norm(Dtype dtype, const std::byte* x, const std::byte* weight, std::byte* out, int64_t length, double eps) {
  dispatch_element(dtype, [&]<typename T>(T) {
    rms_norm_of(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(weight), reinterpret_cast<T*>(out), length,
                eps);
  });
}

// The sum of squared differences from the mean.
template <typename T, typename C = Wide<T>>
HWY_INLINE C squared_differences(const T* x, int64_t length, C mean) {
  const hn::ScalableTag<C> d;
  const auto center = hn::Set(d, mean);
  auto sum = hn::Zero(d);
  for_vectors(d, length, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto difference = hn::Sub(load_part(d, x, i, n, T(0)), center);
    const auto inside = hn::FirstN(d, static_cast<size_t>(n));
    sum = hn::Add(sum, hn::IfThenElseZero(inside, hn::Mul(difference, difference)));
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <typename T>
void layer_norm_of(const T* x, const T* weight, const T* bias, T* out, int64_t length, double eps) {
  using C = Wide<T>;
  const hn::ScalableTag<C> d;
  const C mean = sum_row(x, length, [](auto v) HWY_ATTR { return v; }) / static_cast<C>(length);
  const C variance = squared_differences(x, length, mean) / static_cast<C>(length);
  const auto center = hn::Set(d, mean);
  const auto scale = hn::Set(d, C{1} / std::sqrt(variance + static_cast<C>(eps)));
  map_row(x, out, length, [&](auto v, int64_t i, int64_t n) HWY_ATTR {
    auto normal = hn::Mul(hn::Sub(v, center), scale);
    if (weight) normal = hn::Mul(normal, load_part(d, weight, i, n, T(0)));
    return bias ? hn::Add(normal, load_part(d, bias, i, n, T(0))) : normal;
  });
}

void layer_norm(Dtype dtype, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* out,
                int64_t length, double eps) {
  dispatch_element(dtype, [&]<typename T>(T) {
    layer_norm_of(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(weight), reinterpret_cast<const T*>(bias),
                  reinterpret_cast<T*>(out), length, eps);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(softmax);
HWY_EXPORT(logsumexp);
HWY_EXPORT(rms_norm);
HWY_EXPORT(layer_norm);

void softmax_row(Dtype dtype, const std::byte* x, std::byte* out, int64_t length) {
  HWY_DYNAMIC_DISPATCH(softmax)(dtype, x, out, length);
}

void logsumexp_row(Dtype dtype, const std::byte* x, std::byte* out, int64_t length) {
  HWY_DYNAMIC_DISPATCH(logsumexp)(dtype, x, out, length);
}

void rms_norm_row(Dtype dtype, const std::byte* x, const std::byte* weight, std::byte* out, int64_t length,
                  double eps) {
  HWY_DYNAMIC_DISPATCH(rms_norm)(dtype, x, weight, out, length, eps);
}

void layer_norm_row(Dtype dtype, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* out,
                    int64_t length, double eps) {
  HWY_DYNAMIC_DISPATCH(layer_norm)(dtype, x, weight, bias, out, length, eps);
}

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
