#include "cpu/float_rows.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/float_rows.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/highway.h"

// Processors without F16C go through the scalar conversions: Highway's emulations round differently.
HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using D16 = hn::Rebind<uint16_t, DF>;
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(DF()));

#undef PLIMSOLL_HAVE_F16C
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define PLIMSOLL_HAVE_F16C 1
#else
#define PLIMSOLL_HAVE_F16C 0
#endif

void widen_half(const uint16_t* src, int64_t count, float* out) {
  int64_t i = 0;
#if PLIMSOLL_HAVE_F16C
  const hn::Rebind<hwy::float16_t, DF> d16;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::PromoteTo(DF(), hn::BitCast(d16, hn::LoadU(D16(), src + i))), DF(), out + i);
  }
#endif
  for (; i < count; ++i) out[i] = detail::float_from_half_bits(src[i]);
}

void narrow_half(const float* src, int64_t count, uint16_t* out) {
  int64_t i = 0;
#if PLIMSOLL_HAVE_F16C
  const hn::Rebind<hwy::float16_t, DF> d16;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::BitCast(D16(), hn::DemoteTo(d16, hn::LoadU(DF(), src + i))), D16(), out + i);
  }
#endif
  for (; i < count; ++i) out[i] = detail::half_bits_from_float(src[i]);
}

void widen_bfloat(const uint16_t* src, int64_t count, float* out) {
  const hn::Rebind<uint32_t, DF> d32;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(d32, hn::LoadU(D16(), src + i)));
    hn::StoreU(hn::BitCast(DF(), bits), DF(), out + i);
  }
  for (; i < count; ++i) out[i] = bfloat16_t::from_bits(src[i]);
}

void narrow_bfloat(const float* src, int64_t count, uint16_t* out) {
  const hn::Rebind<uint32_t, DF> d32;
  const hn::Rebind<int32_t, DF> di32;
  const auto half = hn::Set(d32, 0x7fff), one = hn::Set(d32, 1), quiet = hn::Set(d32, 0x40);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto value = hn::LoadU(DF(), src + i);
    const auto bits = hn::BitCast(d32, value);
    const auto upper = hn::ShiftRight<16>(bits);
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, half), hn::And(upper, one)));
    const auto is_nan = hn::MaskFromVec(hn::BitCast(d32, hn::VecFromMask(DF(), hn::IsNaN(value))));
    const auto result = hn::IfThenElse(is_nan, hn::Or(upper, quiet), rounded);
    hn::StoreU(hn::DemoteTo(D16(), hn::BitCast(di32, result)), D16(), out + i);
  }
  for (; i < count; ++i) out[i] = detail::bfloat_bits_from_float(src[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(widen_half);
HWY_EXPORT(narrow_half);
HWY_EXPORT(widen_bfloat);
HWY_EXPORT(narrow_bfloat);

void widen_row(const void* src, Dtype dtype, int64_t count, float* out) {
  if (count == 0) return;
  const auto* bits = static_cast<const uint16_t*>(src);
  switch (dtype) {
    case Dtype::Val::float16:
      return HWY_DYNAMIC_DISPATCH(widen_half)(bits, count, out);
    case Dtype::Val::bfloat16:
      return HWY_DYNAMIC_DISPATCH(widen_bfloat)(bits, count, out);
    default:
      std::memcpy(out, src, static_cast<size_t>(count) * sizeof(float));
  }
}

void narrow_row(const float* src, int64_t count, Dtype dtype, void* out) {
  if (count == 0) return;
  auto* bits = static_cast<uint16_t*>(out);
  switch (dtype) {
    case Dtype::Val::float16:
      return HWY_DYNAMIC_DISPATCH(narrow_half)(src, count, bits);
    case Dtype::Val::bfloat16:
      return HWY_DYNAMIC_DISPATCH(narrow_bfloat)(src, count, bits);
    default:
      std::memcpy(out, src, static_cast<size_t>(count) * sizeof(float));
  }
}

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
