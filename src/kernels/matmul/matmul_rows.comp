#version 460
// Products of at most eight rows with a matrix whose columns lie along memory (b_row = 1, as the weights of a linear
// layer): b is read once, 16 bytes a load, by LANES invocations a column. Each of them makes COLUMNS columns at a time,
// which share what is read of a. Rows beyond the last are made from the last, and dropped; columns too.
//
//# single:
//# batched: BATCHED
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint THREADS = 128;
layout(constant_id = 2) const uint ROWS = 1;      // at least M
layout(constant_id = 3) const uint LANES = 32;    // a multiple of the subgroup's size
layout(constant_id = 4) const uint COLUMNS = 1;
layout(constant_id = 5) const bool A_WHOLE = false;  // fetch_packet: whole
layout(constant_id = 6) const bool B_WHOLE = false;
layout(constant_id = 7) const bool PARTIAL = false;
layout(constant_id = 8) const bool SERIAL = false;   // packet.glsl
layout(local_size_x_id = 1) in;
#include "matmul/product.glsl"
#include "matmul/epilogue.glsl"
#include "matmul/packet.glsl"

const uint SLOTS = THREADS / LANES;   // columns side by side
const uint RUN = SERIAL ? 1 : 4;      // packets under way of each column
shared float partial_sums[THREADS * ROWS * COLUMNS];
float sums[ROWS * COLUMNS];

float dot_packets(uvec4 x, uvec4 y) {
  const float low = dot(low_elements(x), low_elements(y));
  return FLOATS ? low : low + dot(high_elements(x), high_elements(y));
}

void add_products(uint64_t a, uint64_t b[COLUMNS], uint k, uint k_end) {
  uvec4 packets[RUN * COLUMNS];
  [[unroll]] for (uint i = 0; i < RUN; ++i) {
    const uint at = k + i * LANES * PACKET, left = at < k_end ? k_end - at : 0;
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
      packets[i * COLUMNS + c] = fetch_packet(B_WHOLE, b[c] + uint64_t(at) * ELEMENT_BYTES, ELEMENT_BYTES, left);
    }
  }
  [[unroll]] for (uint i = 0; i < RUN; ++i) {
    const uint at = k + i * LANES * PACKET, left = at < k_end ? k_end - at : 0;
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
      const int64_t offset = int64_t(min(r, p.M - 1)) * p.a_row + int64_t(at) * p.a_column;
      const uvec4 x = fetch_packet(A_WHOLE, a + uint64_t(offset * ELEMENT_BYTES), p.a_column * ELEMENT_BYTES, left);
      [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
        sums[r * COLUMNS + c] += dot_packets(x, packets[i * COLUMNS + c]);
      }
    }
  }
}

void main() {
  const Share share = share_of(WORKGROUP, 1, (p.N + SLOTS * COLUMNS - 1) / (SLOTS * COLUMNS));
  const Member member = member_at(share.member);
  const uint thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint slot = thread / LANES, lane = thread % LANES;
  const uint n = share.tile_n * SLOTS * COLUMNS + slot;  // and every SLOTS columns on
  uint64_t b[COLUMNS];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    const int64_t column = int64_t(min(n + c * SLOTS, p.N - 1));
    b[c] = p.b + uint64_t((member.b + column * p.b_column) * ELEMENT_BYTES);
  }
  const uint64_t a = p.a + uint64_t(member.a * ELEMENT_BYTES);
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) sums[i] = 0.0;
  for (uint k = share.k_begin + lane * PACKET; k < share.k_end; k += LANES * PACKET * RUN) {
    add_products(a, b, k, share.k_end);
  }
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) {
    const float sum = subgroupAdd(sums[i]);
    if (gl_SubgroupInvocationID == 0) partial_sums[gl_SubgroupID * (ROWS * COLUMNS) + i] = sum;
  }
  barrier();
  const uint subgroups = LANES / gl_SubgroupSize;  // of a slot
  for (uint i = gl_LocalInvocationIndex; i < SLOTS * ROWS * COLUMNS; i += THREADS) {
    const uint at = i / (ROWS * COLUMNS), which = i % (ROWS * COLUMNS);
    float sum = 0.0;
    for (uint s = 0; s < subgroups; ++s) sum += partial_sums[(at * subgroups + s) * (ROWS * COLUMNS) + which];
    const uint column = share.tile_n * SLOTS * COLUMNS + at + which % COLUMNS * SLOTS;
    if (column < p.N && which / COLUMNS < p.M) store_sum(share, member, which / COLUMNS, column, sum);
  }
}
