#include "cpu/quantized/affine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "cpu/float_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quantized/affine.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "cpu/quantized/widen-inl.h"
#include "cpu/row_dot-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu::quantized {
namespace HWY_NAMESPACE {

// Spreads 32 integers of kBits bits, a stream of 8 for every kBits bytes, to bytes.
template <int kBits>
HWY_INLINE void unpack_bytes(const uint8_t* packed, uint8_t* out) {
  for (int i = 0; i < 32; i += 8, packed += kBits) {
    uint64_t stream = 0;
    std::memcpy(&stream, packed, kBits);
    PLIMSOLL_UNROLL
    for (int j = 0; j < 8; ++j) out[i + j] = static_cast<uint8_t>(stream >> (j * kBits) & ((1 << kBits) - 1));
  }
}

#if PLIMSOLL_LANES_HOLD_NIBBLES
// Lane i takes the 32-bit word that holds value i, shifted down to it.
HWY_INLINE void widen_packed_nibbles(const uint8_t* packed, float d, float m, Unit& w) {
  const NibbleTable<0> table(d, m);
  const hn::Repartition<uint8_t, DU> bytes;
  const VU words = hn::BitCast(DU(), hn::LoadDup128(bytes, packed));
  const VU lane = hn::Iota(DU(), 0), shift = hn::ShiftLeft<2>(hn::And(lane, hn::Set(DU(), 7)));
  PLIMSOLL_UNROLL
  for (int i = 0; i < kVectors; ++i) {
    const VU index = hn::Add(hn::ShiftRight<3>(lane), hn::Set(DU(), static_cast<uint32_t>(2 * i)));
    const VU word = hn::TableLookupLanes(words, hn::Indices512<uint32_t>{index.raw});
    w.v[i] = table(hn::Shr(word, shift));
  }
}
#endif

template <int kBits>
HWY_INLINE void widen_bits(const uint8_t* packed, float d, float m, Unit& w) {
#if PLIMSOLL_LANES_HOLD_NIBBLES
  if constexpr (kBits == 4) return widen_packed_nibbles(packed, d, m, w);
#endif
  uint8_t spread[32];
  if constexpr (kBits != 8) {
    unpack_bytes<kBits>(packed, spread);
    packed = spread;
  }
  const VF scale = hn::Set(DF(), d), offset = hn::Set(DF(), m);
  PLIMSOLL_UNROLL
  for (int i = 0; i < kVectors; ++i) w.v[i] = affine<0>(bytes_to_lanes(packed + i * kLanes), scale, offset);
}

// out[u] = scale of the group that unit first + u belongs to.
inline void spread_scales(const void* scales, Dtype dtype, int64_t row_start, int group, int64_t first, int64_t count,
                          float* out) {
  const int64_t units = group / kUnit;
  const auto* bytes = static_cast<const std::byte*>(scales);
  if (units == 1) return widen_row(bytes + (row_start + first) * dtype.size(), dtype, count, out);
  const int64_t begin = first / units, end = (first + count - 1) / units + 1;
  float groups[cpu::HWY_NAMESPACE::kChunkUnits + 1];
  widen_row(bytes + (row_start + begin) * dtype.size(), dtype, end - begin, groups);
  for (int64_t u = 0; u < count; ++u) out[u] = groups[(first + u) / units - begin];
}

template <int kBits>
class AffineWeights {
 public:
  static constexpr int kUnits = 1, kGroups = 1, kBlockBytes = 4 * kBits;

  explicit AffineWeights(const AffineMatrix& w) : w_(w) {}

  HWY_INLINE const uint8_t* row(int64_t n) const { return w_.data + n * w_.row_bytes; }
  HWY_INLINE const uint8_t* block_at(const uint8_t* row, int64_t unit) const { return row + unit * kBlockBytes; }

  template <int kRows>
  HWY_INLINE void scales(const int64_t* rows, int64_t first, int64_t count, float* d, float* m) const {
    for (int r = 0; r < kRows; ++r) {
      const int64_t start = rows[r] * w_.scale_row_stride;
      spread_scales(w_.scales, w_.scale_dtype, start, w_.group, first, count, d + r * count);
      spread_scales(w_.biases, w_.scale_dtype, start, w_.group, first, count, m + r * count);
    }
  }

  HWY_INLINE void widen(const uint8_t* row, int64_t unit, int, const float* d, const float* m, Unit& w) const {
    widen_bits<kBits>(block_at(row, unit), *d, *m, w);
  }

 private:
  const AffineMatrix& w_;
};

template <class F>
HWY_INLINE void with_bits(const AffineMatrix& w, F&& f) {
  switch (w.bits) {
    case 2:
      return f(AffineWeights<2>(w));
    case 3:
      return f(AffineWeights<3>(w));
    case 4:
      return f(AffineWeights<4>(w));
    case 5:
      return f(AffineWeights<5>(w));
    case 6:
      return f(AffineWeights<6>(w));
    default:
      return f(AffineWeights<8>(w));
  }
}

void dot_affine_range(const AffineMatrix& w, const RowDot& p, int64_t begin, int64_t end) {
  with_bits(w, [&](const auto& weights) HWY_ATTR {
    cpu::HWY_NAMESPACE::dot_range(weights, w.values / kUnit, p, begin, end, cpu::HWY_NAMESPACE::NoTail());
  });
}

template <class Weights>
void widen_affine_row(const Weights& weights, int64_t n, int64_t units, float* out) {
  constexpr int64_t kChunk = cpu::HWY_NAMESPACE::kChunkUnits;
  HWY_ALIGN float d[kChunk], m[kChunk];
  for (int64_t first = 0; first < units; first += kChunk) {
    const int64_t count = std::min(kChunk, units - first);
    weights.template scales<1>(&n, first, count, d, m);
    for (int64_t u = 0; u < count; ++u, out += kUnit) {
      Unit w;
      weights.widen(weights.row(n), first + u, 0, d + u, m + u, w);
      PLIMSOLL_UNROLL
      for (int i = 0; i < kVectors; ++i) hn::StoreU(w.v[i], DF(), out + i * kLanes);
    }
  }
}

void widen_affine_range(const AffineMatrix& w, int64_t first, int64_t count, float* out, int64_t stride) {
  with_bits(w, [&](const auto& weights) HWY_ATTR {
    for (int64_t r = 0; r < count; ++r) widen_affine_row(weights, first + r, w.values / kUnit, out + r * stride);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu::quantized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu::quantized {

HWY_EXPORT(dot_affine_range);
HWY_EXPORT(widen_affine_range);

namespace {

struct GroupScale {
  float scale;
  float bias;
};

// MLX's choice: the end of larger magnitude becomes the bias, and the scale is adjusted so that zero is hit when near.
GroupScale choose_scale(const float* values, int group, int bits) {
  const auto [low, high] = std::minmax_element(values, values + group);
  const float levels = static_cast<float>((1 << bits) - 1);
  const bool from_low = std::abs(*low) > std::abs(*high);
  float scale = std::max((*high - *low) / levels, 1e-7f);
  if (!from_low) scale = -scale;
  const float edge = from_low ? *low : *high;
  const float steps = std::rint(edge / scale);
  if (steps == 0.0f) return {scale, 0.0f};
  return {edge / steps, edge};
}

void pack(const uint8_t* values, int64_t count, int bits, uint8_t* packed) {
  for (int64_t i = 0; i < count; i += 8, packed += bits) {
    uint64_t stream = 0;
    for (int j = 0; j < 8; ++j) stream |= static_cast<uint64_t>(values[i + j]) << (j * bits);
    std::memcpy(packed, &stream, static_cast<size_t>(bits));
  }
}

}  // namespace

void dot_affine(const AffineMatrix& w, const RowDot& p) {
  base::parallel_for(w.rows, dot_grain(w.values),
                     [&](int64_t begin, int64_t end) { HWY_DYNAMIC_DISPATCH(dot_affine_range)(w, p, begin, end); });
}

void widen_affine(const AffineMatrix& w, int64_t first, int64_t count, float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(widen_affine_range)(w, first, count, out, stride);
}

void quantize_affine_row(const float* values, int64_t count, int bits, int group, uint8_t* packed, float* scales,
                         float* biases) {
  const float levels = static_cast<float>((1 << bits) - 1);
  for (int64_t g = 0; g * group < count; ++g) {
    const float* from = values + g * group;
    const GroupScale s = choose_scale(from, group, bits);
    scales[g] = s.scale;
    biases[g] = s.bias;
    uint8_t q[128];
    for (int i = 0; i < group; ++i) {
      const float step = std::rint((from[i] - s.bias) / s.scale);
      q[i] = step > 0.0f ? static_cast<uint8_t>(std::min(step, levels)) : 0;  // NaN too is 0
    }
    pack(q, group, bits, packed + g * group * bits / 8);
  }
}

}  // namespace plimsoll::cpu::quantized
#endif  // HWY_ONCE
