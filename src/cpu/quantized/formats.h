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

// The 6-bit scales and minima of the 8 sub-blocks of a Q4_K or Q5_K block, from 12 bytes: the first four of each lie in
// the low bits of bytes 0-3 and 4-7; the others have their low halves in bytes 8-11 and their high bits above the
// first.
struct ScalesMins {
  uint8_t scales[8];
  uint8_t mins[8];
};
inline ScalesMins unpack_scales_mins(const uint8_t* packed) {
  uint32_t words[3];  // four bytes are unpacked at a time
  std::memcpy(words, packed, sizeof words);
  constexpr uint32_t kLow6 = 0x3f3f3f3f, kLow4 = 0x0f0f0f0f, kLow2 = 0x03030303;
  const uint32_t scales[2] = {words[0] & kLow6, (words[2] & kLow4) | (words[0] >> 6 & kLow2) << 4};
  const uint32_t mins[2] = {words[1] & kLow6, (words[2] >> 4 & kLow4) | (words[1] >> 6 & kLow2) << 4};
  ScalesMins out;
  std::memcpy(out.scales, scales, sizeof scales);
  std::memcpy(out.mins, mins, sizeof mins);
  return out;
}

}  // namespace plimsoll::cpu::quantized
