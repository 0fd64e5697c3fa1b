#include "cpu/rope_kernel.h"

#include <cmath>
#include <cstring>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/rope_kernel.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "cpu/lanes-inl.h"
#include "cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The angle of a position, within pi of zero, so that float32 keeps its precision at any position.
inline double reduced_angle(double angle) {
  return angle - 2 * std::numbers::pi * std::nearbyint(angle / (2 * std::numbers::pi));
}

template <typename C>
void table_of(const double* frequencies, double position, int dims, bool traditional, bool inverse, C* cosines,
              C* sines) {
  const hn::ScalableTag<C> d;
  const int64_t half = dims / 2;
  // The angles wait in the upper half of the cosines.
  C* angles = cosines + half;
  for (int64_t i = 0; i < half; ++i) angles[i] = static_cast<C>(reduced_angle(position * frequencies[i]));
  for_vectors(d, half, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto angle = load_part(d, angles, i, n, C{0});
    const auto sine = sin(d, angle);
    store_part(d, inverse ? hn::Neg(sine) : sine, sines, i, n);
    store_part(d, cos(d, angle), cosines, i, n);
  });
  if (!traditional) return;
  for (int64_t i = half; i-- > 0;) {
    const C cosine = cosines[i], sine = sines[i];
    cosines[2 * i] = cosines[2 * i + 1] = cosine;
    sines[2 * i] = -sine;
    sines[2 * i + 1] = sine;
  }
}

void make_table(Dtype dtype, const double* frequencies, double position, int dims, bool traditional, bool inverse,
                const RopeTable& table) {
  if (dtype == float64) {
    return table_of(frequencies, position, dims, traditional, inverse, reinterpret_cast<double*>(table.cosines),
                    reinterpret_cast<double*>(table.sines));
  }
  table_of(frequencies, position, dims, traditional, inverse, reinterpret_cast<float*>(table.cosines),
           reinterpret_cast<float*>(table.sines));
}

// Elements i and i + dims / 2.
template <typename T, typename C>
void rotate_halves(const T* x, T* out, int64_t half, const C* cosines, const C* sines) {
  const hn::ScalableTag<C> d;
  for_vectors(d, half, [&](int64_t i, int64_t n) HWY_ATTR {
    const auto a = load_part(d, x, i, n, T(0));
    const auto b = load_part(d, x + half, i, n, T(0));
    const auto cosine = load_part(d, cosines, i, n, C{0});
    const auto sine = load_part(d, sines, i, n, C{0});
    store_part(d, hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), out, i, n);
    store_part(d, hn::MulAdd(a, sine, hn::Mul(b, cosine)), out + half, i, n);
  });
}

// Elements 2 i and 2 i + 1.
template <typename T, typename C>
void rotate_pairs(const T* x, T* out, int64_t dims, const C* cosines, const C* sines) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (!std::is_same_v<C, double>) {
    const hn::ScalableTag<C> d;
    for_vectors(d, dims, [&](int64_t i, int64_t n) HWY_ATTR {
      const auto pairs = load_part(d, x, i, n, T(0));
      const auto turned = hn::Mul(hn::Shuffle2301(pairs), load_part(d, sines, i, n, C{0}));
      store_part(d, hn::MulAdd(pairs, load_part(d, cosines, i, n, C{0}), turned), out, i, n);
    });
    return;
  }
#endif
  for (int64_t i = 0; i < dims; i += 2) {
    const C a = static_cast<C>(x[i]), b = static_cast<C>(x[i + 1]);
    out[i] = T(a * cosines[i] + b * sines[i]);
    out[i + 1] = T(b * cosines[i + 1] + a * sines[i + 1]);
  }
}

template <typename T>
void rope_of(const std::byte* x, std::byte* out, int64_t length, int dims, bool traditional, const RopeTable& table) {
  using C = Wide<T>;
  const T* from = reinterpret_cast<const T*>(x);
  T* to = reinterpret_cast<T*>(out);
  const C* cosines = reinterpret_cast<const C*>(table.cosines);
  const C* sines = reinterpret_cast<const C*>(table.sines);
  if (traditional) {
    rotate_pairs(from, to, dims, cosines, sines);
  } else {
    rotate_halves(from, to, dims / 2, cosines, sines);
  }
  if (from != to) std::memcpy(to + dims, from + dims, static_cast<size_t>(length - dims) * sizeof(T));
}

void rope(Dtype dtype, const std::byte* x, std::byte* out, int64_t length, int dims, bool traditional,
          const RopeTable& table) {
  switch (dtype) {
    case Dtype::Val::float16:
      return rope_of<float16_t>(x, out, length, dims, traditional, table);
    case Dtype::Val::bfloat16:
      return rope_of<bfloat16_t>(x, out, length, dims, traditional, table);
    case Dtype::Val::float64:
      return rope_of<double>(x, out, length, dims, traditional, table);
    default:
      return rope_of<float>(x, out, length, dims, traditional, table);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(make_table);
HWY_EXPORT(rope);

void rope_table(Dtype dtype, const double* frequencies, double position, int dims, bool traditional, bool inverse,
                const RopeTable& table) {
  HWY_DYNAMIC_DISPATCH(make_table)(dtype, frequencies, position, dims, traditional, inverse, table);
}

void rope_row(Dtype dtype, const std::byte* x, std::byte* out, int64_t length, int dims, bool traditional,
              const RopeTable& table) {
  HWY_DYNAMIC_DISPATCH(rope)(dtype, x, out, length, dims, traditional, table);
}

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
