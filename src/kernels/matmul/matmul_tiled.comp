#version 460
// Products of float matrices by tiles in shared memory, summed in float32 registers: every layout, any shape.
//
// A workgroup makes a tile of BM x BN outputs; each invocation TM x TN of them, as TM/4 x TN/4 blocks of 4 x 4 that lie
// BM/(TM/4) and BN/(TN/4) apart, so that neighbours read neighbouring vectors of shared memory. The next slice of BK is
// fetched into registers while the present one is multiplied. Every output is one running sum over k.
//
//# single:
//# batched: BATCHED
#include "common.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint THREADS = 64;
layout(constant_id = 2) const uint BM = 32;
layout(constant_id = 3) const uint BN = 32;
layout(constant_id = 4) const uint BK = 16;
layout(constant_id = 5) const uint TM = 4;
layout(constant_id = 6) const uint TN = 4;
layout(constant_id = 7) const bool A_ALONG_K = true;  // packets of a hold neighbours in k, else in m
layout(constant_id = 8) const bool A_WHOLE = false;   // fetch_packet: whole
layout(constant_id = 9) const bool B_ALONG_K = false;
layout(constant_id = 10) const bool B_WHOLE = false;
layout(constant_id = 11) const bool PARTIAL = false;
layout(constant_id = 12) const bool OUT_WHOLE = false;  // fours of the output are aligned and complete
layout(constant_id = 13) const bool SERIAL = false;     // packet.glsl
layout(local_size_x_id = 1) in;
#include "elements.glsl"
#include "matmul/product.glsl"
#include "matmul/epilogue.glsl"
#include "matmul/packet.glsl"
#include "matmul/operand.glsl"

const uint A_STRIDE = BM / 4 + 1, B_STRIDE = BN / 4 + 1;
shared vec4 a_tile[BK * A_STRIDE];  // [BK][BM]
shared vec4 b_tile[BK * B_STRIDE];  // [BK][BN]

const uint A_FETCHES = (BM * BK / PACKET + THREADS - 1) / THREADS;
const uint B_FETCHES = (BN * BK / PACKET + THREADS - 1) / THREADS;
uvec4 a_packets[A_FETCHES];
uvec4 b_packets[B_FETCHES];

void fetch_tiles(Operand a, Operand b, uint k, uint k_end) {
  [[unroll]] for (uint i = 0; i < A_FETCHES; ++i) {
    a_packets[i] = fetch_operand(a, A_ALONG_K, A_WHOLE, BM, i, k, k_end);
  }
  [[unroll]] for (uint i = 0; i < B_FETCHES; ++i) {
    b_packets[i] = fetch_operand(b, B_ALONG_K, B_WHOLE, BN, i, k, k_end);
  }
}

void store_a(Place place, uint first, vec4 values) {
  if (A_ALONG_K) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      a_tile[(place.k + first + i) * A_STRIDE + place.outer / 4][place.outer % 4] = values[i];
    }
  } else {
    a_tile[place.k * A_STRIDE + (place.outer + first) / 4] = values;
  }
}

void store_b(Place place, uint first, vec4 values) {
  if (B_ALONG_K) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      b_tile[(place.k + first + i) * B_STRIDE + place.outer / 4][place.outer % 4] = values[i];
    }
  } else {
    b_tile[place.k * B_STRIDE + (place.outer + first) / 4] = values;
  }
}

void store_tiles() {
  [[unroll]] for (uint i = 0; i < A_FETCHES; ++i) {
    const Place place = place_of(A_ALONG_K, BM, i);
    if (place.outer >= BM || place.k >= BK) continue;
    store_a(place, 0, low_elements(a_packets[i]));
    if (!FLOATS) store_a(place, 4, high_elements(a_packets[i]));
  }
  [[unroll]] for (uint i = 0; i < B_FETCHES; ++i) {
    const Place place = place_of(B_ALONG_K, BN, i);
    if (place.outer >= BN || place.k >= BK) continue;
    store_b(place, 0, low_elements(b_packets[i]));
    if (!FLOATS) store_b(place, 4, high_elements(b_packets[i]));
  }
}

const uint THREADS_M = BM / TM, THREADS_N = BN / TN;
vec4 sums[TM * (TN / 4)];  // [TM][TN / 4]

void multiply_step(uint k, uint thread_m, uint thread_n) {
  vec4 b[TN / 4];
  [[unroll]] for (uint j = 0; j < TN / 4; ++j) b[j] = b_tile[k * B_STRIDE + j * THREADS_N + thread_n];
  [[unroll]] for (uint i = 0; i < TM / 4; ++i) {
    const vec4 a = a_tile[k * A_STRIDE + i * THREADS_M + thread_m];
    [[unroll]] for (uint r = 0; r < 4; ++r) {
      [[unroll]] for (uint j = 0; j < TN / 4; ++j) sums[(i * 4 + r) * (TN / 4) + j] += a[r] * b[j];
    }
  }
}

void multiply_tiles(uint thread_m, uint thread_n) {
  if (SERIAL) {
    [[dont_unroll]] for (uint k = 0; k < BK; ++k) multiply_step(k, thread_m, thread_n);
  } else {
    [[unroll]] for (uint k = 0; k < BK; ++k) multiply_step(k, thread_m, thread_n);
  }
}

void store_block(Share share, Member member, uint m, uint n, vec4 values) {
  if (OUT_WHOLE) {
    if (n < p.N) store_four(share, member, m, n, values);
    return;
  }
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    if (n + i < p.N) store_sum(share, member, m, n + i, values[i]);
  }
}

void store_row(Share share, Member member, uint i, uint thread_m, uint thread_n) {
  const uint m = share.tile_m * BM + (i / 4 * THREADS_M + thread_m) * 4 + i % 4;
  if (m >= p.M) return;
  [[unroll]] for (uint j = 0; j < TN / 4; ++j) {
    store_block(share, member, m, share.tile_n * BN + (j * THREADS_N + thread_n) * 4, sums[i * (TN / 4) + j]);
  }
}

void store_sums(Share share, Member member, uint thread_m, uint thread_n) {
  if (SERIAL) {
    [[dont_unroll]] for (uint i = 0; i < TM; ++i) store_row(share, member, i, thread_m, thread_n);
  } else {
    [[unroll]] for (uint i = 0; i < TM; ++i) store_row(share, member, i, thread_m, thread_n);
  }
}

void main() {
  const Share share = share_of(WORKGROUP, (p.M + BM - 1) / BM, (p.N + BN - 1) / BN);
  const Member member = member_at(share.member);
  const Operand a = operand_at(A_ALONG_K, BM, p.a + uint64_t(member.a * ELEMENT_BYTES), share.tile_m * BM, p.M,
                               p.a_row, p.a_column);
  const Operand b = operand_at(B_ALONG_K, BN, p.b + uint64_t(member.b * ELEMENT_BYTES), share.tile_n * BN, p.N,
                               p.b_column, p.b_row);
  const uint thread_n = gl_LocalInvocationIndex % THREADS_N, thread_m = gl_LocalInvocationIndex / THREADS_N;
  [[unroll]] for (uint i = 0; i < TM * (TN / 4); ++i) sums[i] = vec4(0);
  fetch_tiles(a, b, share.k_begin, share.k_end);
  for (uint k = share.k_begin; k < share.k_end; k += BK) {
    barrier();
    store_tiles();
    barrier();
    if (k + BK < share.k_end) fetch_tiles(a, b, k + BK, share.k_end);
    multiply_tiles(thread_m, thread_n);
  }
  store_sums(share, member, thread_m, thread_n);
}
