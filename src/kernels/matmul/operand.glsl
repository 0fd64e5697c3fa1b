// How the packets of an operand's tile [side][BK] are spread over the workgroup. Included after packet.glsl, with BK and
// THREADS in scope, powers of two; sides and BK are multiples of PACKET. "Outer" are rows of a and columns of b.
//
// Packets hold neighbours in k (`along_k`) or neighbours in the outer direction. An invocation's packets lie evenly in
// the other direction, so that their addresses cost one addition each.

struct Operand {
  uint64_t base;              // of this invocation's first packet, for k = 0
  int64_t k_bytes;            // between neighbours in k
  int64_t packet_bytes;       // between this invocation's packets
  int64_t element_bytes;      // between elements of a packet
  uint outer, k;              // of the first packet: from the matrix's start, and from the slice's
  uint outer_count;           // in the matrix
};

uint packets_across(bool along_k, uint side) { return (along_k ? BK : side) / PACKET; }
uint packet_step(bool along_k, uint side) { return THREADS / packets_across(along_k, side); }

Operand operand_at(bool along_k, uint side, uint64_t matrix, uint first_outer, uint outer_count, int64_t outer_stride,
                   int64_t k_stride) {
  const uint across = gl_LocalInvocationIndex % packets_across(along_k, side) * PACKET;
  const uint down = gl_LocalInvocationIndex / packets_across(along_k, side);
  const int64_t outer_bytes = outer_stride * ELEMENT_BYTES, k_bytes = k_stride * ELEMENT_BYTES;
  const uint outer = first_outer + (along_k ? down : across), k = along_k ? across : down;
  const uint64_t base = matrix + uint64_t(int64_t(outer) * outer_bytes + int64_t(k) * k_bytes);
  return Operand(base, k_bytes, packet_step(along_k, side) * (along_k ? outer_bytes : k_bytes),
                 along_k ? k_bytes : outer_bytes, outer, k, outer_count);
}

// Where packet number `i` of this invocation lies in the tile. Outside of it: there is no such packet.
struct Place {
  uint outer, k;
};

Place place_of(bool along_k, uint side, uint i) {
  const uint across = gl_LocalInvocationIndex % packets_across(along_k, side) * PACKET;
  const uint down = gl_LocalInvocationIndex / packets_across(along_k, side) + i * packet_step(along_k, side);
  return along_k ? Place(down, across) : Place(across, down);
}

// Packet number `i` of the slice that starts at `k_first`; zeros beyond the matrix and beyond k_end.
uvec4 fetch_operand(Operand operand, bool along_k, bool whole, uint side, uint i, uint k_first, uint k_end) {
  const uint down = i * packet_step(along_k, side);
  const uint outer = operand.outer + (along_k ? down : 0), k = k_first + operand.k + (along_k ? 0 : down);
  if (outer >= operand.outer_count || k >= k_end) return uvec4(0);
  const uint64_t address = operand.base + uint64_t(int64_t(k_first) * operand.k_bytes + i * operand.packet_bytes);
  return fetch_packet(whole, address, operand.element_bytes, along_k ? k_end - k : operand.outer_count - outer);
}
