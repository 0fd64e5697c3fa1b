// Sixteen bytes of float elements at a time: four float32, or eight float16 or bfloat16. Included after elements.glsl,
// with DTYPE and SERIAL in scope, specialization constants. SERIAL: short code before many loads at a time, for software
// devices, which take seconds to compile code with many scattered loads.

const bool FLOATS = DTYPE == DTYPE_FLOAT32;
const uint PACKET = FLOATS ? 4 : 8;
const uint ELEMENT_BYTES = FLOATS ? 4 : 2;

// The packet at `address`; its elements lie `stride` bytes apart, and those from `count` on are zero. `whole`: the
// elements are neighbours, the address is a multiple of 16, and `count` is 0 or at least PACKET.
uvec4 fetch_packet(bool whole, uint64_t address, int64_t stride, uint count) {
  uvec4 packet = uvec4(0);
  if (whole) {
    if (count > 0) packet = Vector128(address).value;
  } else if (SERIAL) {
    for (uint i = 0; i < min(count, PACKET); ++i) {
      const uint64_t at = address + uint64_t(int64_t(i) * stride);
      if (FLOATS) {
        packet[i] = Item32(at).value;
      } else {
        packet[i / 2] |= uint(Item16(at).value) << (16 * (i % 2));
      }
    }
  } else if (FLOATS) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      if (i < count) packet[i] = Item32(address + uint64_t(int64_t(i) * stride)).value;
    }
  } else {
    [[unroll]] for (uint i = 0; i < 8; ++i) {
      if (i >= count) continue;
      packet[i / 2] |= uint(Item16(address + uint64_t(int64_t(i) * stride)).value) << (16 * (i % 2));
    }
  }
  return packet;
}

// The two 16-bit elements of a word.
vec2 widen_pair(uint word) { return floats_from_word(DTYPE, word); }

// Elements 0 to 3 of a packet, and 4 to 7 (zeros when FLOATS).
vec4 low_elements(uvec4 packet) {
  return FLOATS ? uintBitsToFloat(packet) : vec4(widen_pair(packet.x), widen_pair(packet.y));
}
vec4 high_elements(uvec4 packet) { return FLOATS ? vec4(0) : vec4(widen_pair(packet.z), widen_pair(packet.w)); }
