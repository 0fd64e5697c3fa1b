// Widening of quantized units to float32 vectors: one struct for each format, compiled once per target.
//
// A format has
//   kUnits          units of 32 values in a block
//   kBytes          bytes of a block
//   kGroups         groups (own d and m) in a unit: 1 or 2
//   scales(blocks, n, d, m)          d and, where the format has one, m of all groups of n blocks
//   widen(block, unit, d, m, w)      the 32 values of a unit; d and m point at its groups' own

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_QUANTIZED_WIDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_QUANTIZED_WIDEN_INL_H_
#undef PLIMSOLL_CPU_QUANTIZED_WIDEN_INL_H_
#else
#define PLIMSOLL_CPU_QUANTIZED_WIDEN_INL_H_
#endif

#include <algorithm>

#include "cpu/quantized/formats.h"
#include "cpu/row_dot-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu::quantized {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using cpu::HWY_NAMESPACE::DF;
using cpu::HWY_NAMESPACE::kLanes;
using cpu::HWY_NAMESPACE::kVectors;
using cpu::HWY_NAMESPACE::Unit;
using cpu::HWY_NAMESPACE::VF;

using DI = hn::Rebind<int32_t, DF>;
using DU = hn::Rebind<uint32_t, DF>;
using DBytes = hn::Rebind<uint8_t, DF>;
using VU = hn::Vec<DU>;

inline constexpr int kHalf = kVectors / 2;  // vectors in half a unit

#undef PLIMSOLL_LANES_HOLD_NIBBLES
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define PLIMSOLL_LANES_HOLD_NIBBLES 1  // a vector of 16 lanes is a table for 4-bit numbers
#else
#define PLIMSOLL_LANES_HOLD_NIBBLES 0
#endif

HWY_INLINE VU bytes_to_lanes(const uint8_t* bytes) { return hn::PromoteTo(DU(), hn::LoadU(DBytes(), bytes)); }

// The value of q: (q - kZero) * d for formats with a zero point (a product, so that it keeps the sign of zero), else
// q * d + m.
template <int kZero>
HWY_INLINE VF affine(VF q, VF d, VF m) {
  if constexpr (kZero != 0) return hn::Mul(hn::Sub(q, hn::Set(DF(), static_cast<float>(kZero))), d);
  return hn::MulAdd(q, d, m);
}

template <int kZero>
HWY_INLINE VF affine(VU q, VF d, VF m) {
  return affine<kZero>(hn::ConvertTo(DF(), hn::BitCast(DI(), q)), d, m);
}

// The values of 4-bit numbers in the low bits of each lane; higher bits are ignored.
template <int kZero>
class NibbleTable {
 public:
  HWY_INLINE NibbleTable(float d, float m)
#if PLIMSOLL_LANES_HOLD_NIBBLES
      : table_(affine<kZero>(hn::Iota(DF(), 0.0f), hn::Set(DF(), d), hn::Set(DF(), m))) {
  }
  HWY_INLINE VF operator()(VU q) const { return hn::TableLookupLanes(table_, hn::Indices512<float>{q.raw}); }

 private:
  VF table_;
#else
      : d_(hn::Set(DF(), d)), m_(hn::Set(DF(), m)) {
  }
  HWY_INLINE VF operator()(VU q) const { return affine<kZero>(hn::And(q, hn::Set(DU(), 15)), d_, m_); }

 private:
  VF d_, m_;
#endif
};

// Values 0..15 are the low nibbles of 16 bytes, 16..31 the high ones.
template <int kZero>
HWY_INLINE void widen_nibbles(const uint8_t* qs, float d, float m, Unit& w) {
  const NibbleTable<kZero> table(d, m);
  PLIMSOLL_UNROLL
  for (int i = 0; i < kHalf; ++i) {
    const VU q = bytes_to_lanes(qs + i * kLanes);
    w.v[i] = table(q);
    w.v[i + kHalf] = table(hn::ShiftRight<4>(q));
  }
}

// The same, with a fifth bit for value i in bit i of `high`.
template <int kZero>
HWY_INLINE void widen_nibbles_and_bit(const uint8_t* qs, uint32_t high, float d, float m, Unit& w) {
  const VU nibble = hn::Set(DU(), 15), bits = hn::Set(DU(), high), sixteen = hn::Set(DU(), 16);
  const VF scale = hn::Set(DF(), d), offset = hn::Set(DF(), m);
  const VU lane = hn::Shl(hn::Set(DU(), 1), hn::Iota(DU(), 0));
  PLIMSOLL_UNROLL
  for (int i = 0; i < kVectors; ++i) {
    const VU bytes = bytes_to_lanes(qs + (i % kHalf) * kLanes);
    const VU low = hn::And(i < kHalf ? bytes : hn::ShiftRight<4>(bytes), nibble);
    const VU shifted = hn::ShiftRightSame(bits, i * kLanes);
    const VU fifth = hn::IfThenElseZero(hn::TestBit(shifted, lane), sixteen);
    w.v[i] = affine<kZero>(hn::Or(low, fifth), scale, offset);
  }
}

// d, or d and m, of blocks of 32 values, which start with them. Writes whole vectors: up to kLanes - 1 beyond the last.
template <int kBytes, bool kMin>
HWY_INLINE void leading_scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
  const DF df;
  const DI di;
  const hn::Rebind<uint16_t, DF> du16;
  const hn::Rebind<hwy::float16_t, DF> df16;
  const auto block = hn::Iota(di, 0);
  for (int64_t i = 0; i < n; i += kLanes, blocks += kLanes * kBytes) {
    const auto present = hn::Min(block, hn::Set(di, static_cast<int32_t>(std::min<int64_t>(n - i, kLanes) - 1)));
    const auto offset = hn::Mul(present, hn::Set(di, kBytes));
    const auto raw = hn::GatherOffset(di, reinterpret_cast<const int32_t*>(blocks), offset);
    const auto low = hn::DemoteTo(du16, hn::And(raw, hn::Set(di, 0xffff)));
    hn::StoreU(hn::PromoteTo(df, hn::BitCast(df16, low)), df, d + i);
    if constexpr (kMin) {
      const auto high = hn::DemoteTo(du16, hn::BitCast(di, hn::ShiftRight<16>(hn::BitCast(DU(), raw))));
      hn::StoreU(hn::PromoteTo(df, hn::BitCast(df16, high)), df, m + i);
    }
  }
}

struct Q4_0 {
  static constexpr int kUnits = 1, kBytes = 18, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    leading_scales<kBytes, false>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int, const float* d, const float*, Unit& w) {
    widen_nibbles<8>(block + 2, *d, 0.0f, w);
  }
};

struct Q4_1 {
  static constexpr int kUnits = 1, kBytes = 20, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    leading_scales<kBytes, true>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int, const float* d, const float* m, Unit& w) {
    widen_nibbles<0>(block + 4, *d, *m, w);
  }
};

HWY_INLINE uint32_t load_u32(const uint8_t* at) {
  uint32_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

struct Q5_0 {
  static constexpr int kUnits = 1, kBytes = 22, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    leading_scales<kBytes, false>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int, const float* d, const float*, Unit& w) {
    widen_nibbles_and_bit<16>(block + 6, load_u32(block + 2), *d, 0.0f, w);
  }
};

struct Q5_1 {
  static constexpr int kUnits = 1, kBytes = 24, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    leading_scales<kBytes, true>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int, const float* d, const float* m, Unit& w) {
    widen_nibbles_and_bit<0>(block + 8, load_u32(block + 4), *d, *m, w);
  }
};

struct Q8_0 {
  static constexpr int kUnits = 1, kBytes = 34, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    leading_scales<kBytes, false>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int, const float* d, const float*, Unit& w) {
    const hn::Rebind<int8_t, DF> di8;
    const VF scale = hn::Set(DF(), *d);
    const int8_t* qs = reinterpret_cast<const int8_t*>(block + 2);
    PLIMSOLL_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      const auto q = hn::PromoteTo(DI(), hn::LoadU(di8, qs + i * kLanes));
      w.v[i] = hn::Mul(hn::ConvertTo(DF(), q), scale);
    }
  }
};

// out[i] = factor * bytes[i] for i < 8, bytes signed or unsigned.
template <typename T>
HWY_INLINE void scale_bytes(const T* bytes, float factor, float* out) {
  const hn::CappedTag<float, 8> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const hn::Rebind<T, decltype(d)> d8;
  PLIMSOLL_UNROLL
  for (size_t i = 0; i < 8; i += hn::MaxLanes(d)) {
    const auto q = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d8, bytes + i)));
    hn::StoreU(hn::Mul(q, hn::Set(d, factor)), d, out + i);
  }
}

// Q4_K and Q5_K: a block starts with d, dmin and the packed 6-bit pairs of its 8 sub-blocks.
template <int kBytes>
HWY_INLINE void k_scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
  for (int64_t i = 0; i < n; ++i, blocks += kBytes, d += 8, m += 8) {
    const ScalesMins packed = unpack_scales_mins(blocks + 4);
    scale_bytes(packed.scales, load_half(blocks), d);
    scale_bytes(packed.mins, -load_half(blocks + 2), m);
  }
}

struct Q4_K {
  static constexpr int kUnits = 8, kBytes = 144, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    k_scales<kBytes>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int unit, const float* d, const float* m, Unit& w) {
    const uint8_t* qs = block + 16 + 32 * (unit / 2);
    const NibbleTable<0> table(*d, *m);
    const int shift = 4 * (unit & 1);
    PLIMSOLL_UNROLL
    for (int i = 0; i < kVectors; ++i) w.v[i] = table(hn::ShiftRightSame(bytes_to_lanes(qs + i * kLanes), shift));
  }
};

struct Q5_K {
  static constexpr int kUnits = 8, kBytes = 176, kGroups = 1;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float* m) {
    k_scales<kBytes>(blocks, n, d, m);
  }
  static HWY_INLINE void widen(const uint8_t* block, int unit, const float* d, const float* m, Unit& w) {
    const uint8_t* qs = block + 48 + 32 * (unit / 2);
    const uint8_t* qh = block + 16;
    const VU nibble = hn::Set(DU(), 15), one = hn::Set(DU(), 1);
    const VF scale = hn::Set(DF(), *d), offset = hn::Set(DF(), *m);
    const int shift = 4 * (unit & 1);
    PLIMSOLL_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      const VU low = hn::And(hn::ShiftRightSame(bytes_to_lanes(qs + i * kLanes), shift), nibble);
      const VU fifth = hn::And(hn::ShiftRightSame(bytes_to_lanes(qh + i * kLanes), unit), one);
      w.v[i] = affine<0>(hn::Or(low, hn::ShiftLeft<4>(fifth)), scale, offset);
    }
  }
};

// 256 values in two halves; a half has 64 bytes of low nibbles, 32 of high bit pairs and 8 scales of 16 values each.
struct Q6_K {
  static constexpr int kUnits = 8, kBytes = 210, kGroups = 2;
  static HWY_INLINE void scales(const uint8_t* blocks, int64_t n, float* d, float*) {
    for (int64_t i = 0; i < n; ++i, blocks += kBytes, d += 16) {
      const float scale = load_half(blocks + 208);
      const int8_t* groups = reinterpret_cast<const int8_t*>(blocks + 192);
      scale_bytes(groups, scale, d);
      scale_bytes(groups + 8, scale, d + 8);
    }
  }
  static HWY_INLINE void widen(const uint8_t* block, int unit, const float* d, const float*, Unit& w) {
    const int half = unit / 4, part = unit % 4;
    const uint8_t* ql = block + 64 * half + 32 * (part & 1);
    const uint8_t* qh = block + 128 + 32 * half;
    const VU nibble = hn::Set(DU(), 15), pair = hn::Set(DU(), 3);
    PLIMSOLL_UNROLL
    for (int i = 0; i < kVectors; ++i) {
      const VU low = hn::And(hn::ShiftRightSame(bytes_to_lanes(ql + i * kLanes), 4 * (part / 2)), nibble);
      const VU high = hn::And(hn::ShiftRightSame(bytes_to_lanes(qh + i * kLanes), 2 * part), pair);
      const VF scale = hn::Set(DF(), d[i / kHalf]);
      w.v[i] = affine<32>(hn::Or(low, hn::ShiftLeft<4>(high)), scale, scale);
    }
  }
};

// Calls f.template operator()<Format>() for the struct of `format`.
template <class F>
HWY_INLINE void with_format(BlockFormat format, F&& f) {
  switch (format) {
    case BlockFormat::Q4_0:
      return f(Q4_0());
    case BlockFormat::Q4_1:
      return f(Q4_1());
    case BlockFormat::Q5_0:
      return f(Q5_0());
    case BlockFormat::Q5_1:
      return f(Q5_1());
    case BlockFormat::Q8_0:
      return f(Q8_0());
    case BlockFormat::Q4_K:
      return f(Q4_K());
    case BlockFormat::Q5_K:
      return f(Q5_K());
    case BlockFormat::Q6_K:
      return f(Q6_K());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu::quantized
HWY_AFTER_NAMESPACE();

#endif  // PLIMSOLL_CPU_QUANTIZED_WIDEN_INL_H_
