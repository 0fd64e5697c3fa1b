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
#include "cpu/row_dot.h"
#include "graph/ops/block_format.h"

namespace plimsoll::cpu::quantized {

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
