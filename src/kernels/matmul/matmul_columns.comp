#version 460
// Products of at most eight rows with a matrix whose rows lie along memory (b_column = 1): b is read once, 16 bytes a
// load. WIDTH invocations stand side by side, each over the columns of one packet; the workgroup's other invocations
// take other rows of b, and the sums of all meet at the end. Rows beyond the last are made from the last, and dropped.
//
//# single:
//# batched: BATCHED
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint THREADS = 256;
layout(constant_id = 2) const uint ROWS = 1;   // at least M
layout(constant_id = 3) const uint WIDTH = 8;  // a power of two
layout(constant_id = 4) const bool B_WHOLE = false;
layout(constant_id = 5) const bool PARTIAL = false;
layout(constant_id = 6) const bool SERIAL = false;  // packet.glsl
layout(local_size_x_id = 1) in;
#include "matmul/product.glsl"
#include "matmul/epilogue.glsl"
#include "matmul/packet.glsl"

const uint DEPTH = THREADS / WIDTH;  // rows of b side by side
const uint SPAN = WIDTH * PACKET;    // columns of the workgroup
const uint RUN = SERIAL ? 1 : 4;     // packets under way
shared vec4 shared_sums[THREADS * PACKET / 4];
vec4 low_sums[ROWS];
vec4 high_sums[ROWS];

void add_products(uint64_t a, uint64_t b, uint columns, uint k, uint k_end) {
  uvec4 packets[RUN];
  [[unroll]] for (uint i = 0; i < RUN; ++i) {
    const uint at = k + i * DEPTH;
    const uint64_t address = b + uint64_t(int64_t(at) * p.b_row * ELEMENT_BYTES);
    packets[i] = fetch_packet(B_WHOLE, address, ELEMENT_BYTES, at < k_end ? columns : 0);
  }
  [[unroll]] for (uint i = 0; i < RUN; ++i) {
    const uint at = k + i * DEPTH;
    if (at >= k_end) break;
    const vec4 low = low_elements(packets[i]), high = high_elements(packets[i]);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
      const float x = load_float(DTYPE, a, int64_t(min(r, p.M - 1)) * p.a_row + int64_t(at) * p.a_column);
      low_sums[r] += x * low;
      if (!FLOATS) high_sums[r] += x * high;
    }
  }
}

// Adds over the lanes of a subgroup that stand over the same columns.
vec4 lane_sum(vec4 value) {
  for (uint mask = WIDTH; mask < gl_SubgroupSize; mask <<= 1) value += subgroupShuffleXor(value, mask);
  return value;
}

void main() {
  const Share share = share_of(WORKGROUP, 1, (p.N + SPAN - 1) / SPAN);
  const Member member = member_at(share.member);
  const uint thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint across = thread % WIDTH, first = share.tile_n * SPAN + across * PACKET;
  const uint64_t a = p.a + uint64_t(member.a * ELEMENT_BYTES);
  const uint64_t b = p.b + uint64_t((member.b + int64_t(first)) * ELEMENT_BYTES);
  [[unroll]] for (uint r = 0; r < ROWS; ++r) low_sums[r] = high_sums[r] = vec4(0);
  const uint columns = first < p.N ? p.N - first : 0;
  for (uint k = share.k_begin + thread / WIDTH; k < share.k_end; k += DEPTH * RUN) {
    add_products(a, b, columns, k, share.k_end);
  }
  // What one line of shared memory holds: WIDTH packets, the sum of `lanes` / WIDTH invocations each.
  const uint lanes = max(WIDTH, gl_SubgroupSize), lines = THREADS / lanes;
  const uint vectors = PACKET / 4, at = (thread / lanes * WIDTH + across) * vectors;
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    const vec4 low = lane_sum(low_sums[r]), high = FLOATS ? vec4(0) : lane_sum(high_sums[r]);
    barrier();
    if (thread % lanes < WIDTH) {
      shared_sums[at] = low;
      if (!FLOATS) shared_sums[at + 1] = high;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < SPAN; i += THREADS) {
      float sum = 0.0;
      for (uint line = 0; line < lines; ++line) sum += shared_sums[line * (SPAN / 4) + i / 4][i % 4];
      const uint n = share.tile_n * SPAN + i;
      if (n < p.N && r < p.M) store_sum(share, member, r, n, sum);
    }
  }
}
