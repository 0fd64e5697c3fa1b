// Loading and storing elements of any floating dtype as vectors of the type that computation happens in: float64 for
// float64, float32 for the others. Compiled once per target.

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_LANES_INL_H_
#undef PLIMSOLL_CPU_LANES_INL_H_
#else
#define PLIMSOLL_CPU_LANES_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include "plimsoll/half_types.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The type that elements of type T are computed in.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Targets without conversion instructions; what Highway does there for float16 loses infinity and NaN.
#undef PLIMSOLL_CONVERTS_HALVES
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
#define PLIMSOLL_CONVERTS_HALVES 1
#else
#define PLIMSOLL_CONVERTS_HALVES 0
#endif

#if PLIMSOLL_CONVERTS_HALVES

// float16 bits, zero-extended, as float32. The product aligns subnormals too.
template <class D, class VU>
HWY_INLINE hn::Vec<D> float_from_half(D d, VU half) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const VU magnitude = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7fffu)));
  const VU sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)));
  const auto finite = hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f));
  const auto special = hn::BitCast(d, hn::Or(magnitude, hn::Set(du, 0x7f800000u)));
  const auto large = hn::Gt(hn::BitCast(di, magnitude), hn::Set(di, (0x7c00 << 13) - 1));
  return hn::Or(hn::IfThenElse(hn::RebindMask(d, large), special, finite), hn::BitCast(d, sign));
}

// float32 as float16 bits in the low half of each lane, as detail::half_bits_from_float does it.
template <class D, class V>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> half_from_float(D d, V value) {
  const hn::RebindToSigned<D> di;
  using VI = hn::Vec<decltype(di)>;
  const VI bits = hn::BitCast(di, value);
  const VI magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  const VI sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const VI odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 1));
  const VI rounded = hn::Add(hn::Add(magnitude, hn::Set(di, 0xfff)), odd);
  const VI normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(di, 0x38000000)));
  const VI aligned = hn::BitCast(di, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f)));
  const VI subnormal = hn::Sub(aligned, hn::Set(di, 0x3f000000));
  const VI payload = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(di, 0x3ff));
  const VI nan = hn::Or(payload, hn::Set(di, 0x7e00));
  VI half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), subnormal, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477fefff)), hn::Set(di, 0x7c00), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f800000)), nan, half);
  return hn::Or(half, sign);
}

#endif  // PLIMSOLL_CONVERTS_HALVES

// A vector of elements from p, at any alignment.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const hn::TFromD<D>* p) {
  return hn::LoadU(d, p);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const bfloat16_t* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::PromoteTo(du, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p)));
  return hn::BitCast(d, hn::ShiftLeft<16>(bits));
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float16_t* p) {
  const hn::Rebind<uint16_t, D> d16;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p));
#if PLIMSOLL_CONVERTS_HALVES
  return float_from_half(d, hn::PromoteTo(hn::RebindToUnsigned<D>(), bits));
#else
  const hn::Rebind<hwy::float16_t, D> dhalf;
  return hn::PromoteTo(d, hn::BitCast(dhalf, bits));
#endif
}

// Writes a vector to p, at any alignment, rounding to nearest even.
template <class D>
HWY_INLINE void store(D d, hn::Vec<D> value, hn::TFromD<D>* p) {
  hn::StoreU(value, d, p);
}

template <class D>
HWY_INLINE void store(D, hn::Vec<D> value, bfloat16_t* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fffu)));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000u));
  const auto nan = hn::RebindMask(du, hn::IsNaN(value));
  const auto high = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, high)), d16, reinterpret_cast<uint16_t*>(p));
}

template <class D>
HWY_INLINE void store([[maybe_unused]] D d, hn::Vec<D> value, float16_t* p) {
  const hn::Rebind<uint16_t, D> d16;
#if PLIMSOLL_CONVERTS_HALVES
  const auto bits = hn::DemoteTo(d16, half_from_float(d, value));
#else
  const hn::Rebind<hwy::float16_t, D> dhalf;
  const auto bits = hn::BitCast(d16, hn::DemoteTo(dhalf, value));
#endif
  hn::StoreU(bits, d16, reinterpret_cast<uint16_t*>(p));
}

// The first `count` elements of a vector, the others `fill`; reads no others.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_first(D d, const T* p, size_t count, T fill) {
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  for (T& lane : lanes) lane = fill;
  std::memcpy(lanes, p, count * sizeof(T));
  return load(d, lanes);
}

// Writes the first `count` elements of a vector and no others.
template <class D, typename T>
HWY_INLINE void store_first(D d, hn::Vec<D> value, T* p, size_t count) {
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  store(d, value, lanes);
  std::memcpy(p, lanes, count * sizeof(T));
}

// Calls f(i, n) over [0, count) in steps of whole vectors (n lanes each), then for the shorter rest, if any.
template <class D, class F>
HWY_INLINE void for_vectors(D d, int64_t count, F f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) f(i, lanes);
  if (i < count) f(i, count - i);
}

// Elements [i, i + n) of a row, n at most a vector.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_part(D d, const T* row, int64_t i, int64_t n, T fill) {
  if (HWY_LIKELY(n == static_cast<int64_t>(hn::Lanes(d)))) return load(d, row + i);
  return load_first(d, row + i, static_cast<size_t>(n), fill);
}

template <class D, typename T>
HWY_INLINE void store_part(D d, hn::Vec<D> value, T* row, int64_t i, int64_t n) {
  if (HWY_LIKELY(n == static_cast<int64_t>(hn::Lanes(d)))) return store(d, value, row + i);
  store_first(d, value, row + i, static_cast<size_t>(n));
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // toggle
