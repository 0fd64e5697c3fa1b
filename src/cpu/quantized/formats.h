// The bit layouts of quantized weights, as plain facts: sizes of blocks, and the scales inside them.
//
// Everything quantized is cut into units of 32 values (a unit never crosses a block), and every unit has one or two
// groups with a scale d and an offset m each: value = d * q + m with a small unsigned or signed q. In all formats d * q
// is exact in float32 (11-bit d, at most 7-bit sub-scale, at most 6-bit q; Q8_0: 11 + 8 bits), so each value is rounded
// once at most and no order of evaluation changes it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plimsoll/half_types.h"
#include "plimsoll/quantized.h"
#include "cpu/row_dot.h"

namespace plimsoll::cpu::quantized {

struct BlockLayout {
  int64_t values;
  int64_t bytes;
};

constexpr BlockLayout block_layout(BlockFormat format) {
  switch (format) {
    case BlockFormat::Q4_0:
      return {32, 18};
    case BlockFormat::Q4_1:
      return {32, 20};
    case BlockFormat::Q5_0:
      return {32, 22};
    case BlockFormat::Q5_1:
      return {32, 24};
    case BlockFormat::Q8_0:
      return {32, 34};
    case BlockFormat::Q4_K:
      return {256, 144};
    case BlockFormat::Q5_K:
      return {256, 176};
    case BlockFormat::Q6_K:
      return {256, 210};
  }
  __builtin_unreachable();
}

inline float load_half(const uint8_t* at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return detail::float_from_half_bits(bits);
}

// Sub-block j (0..7) of a Q4_K or Q5_K block: its 6-bit scale and minimum, from the 12 packed bytes.
struct ScaleMin {
  uint8_t scale;
  uint8_t min;
};
inline ScaleMin unpack_scale_min(const uint8_t* packed, int j) {
  if (j < 4) return {static_cast<uint8_t>(packed[j] & 63), static_cast<uint8_t>(packed[j + 4] & 63)};
  const uint8_t low = packed[j + 4];
  return {static_cast<uint8_t>((low & 15) | (packed[j - 4] >> 6 << 4)),
          static_cast<uint8_t>((low >> 4) | (packed[j] >> 6 << 4))};
}

}  // namespace plimsoll::cpu::quantized
