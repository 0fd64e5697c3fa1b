#version 460
// Products of many rows of x with quantized weights by tiles in shared memory, where weights are widened to float32.
//
// A workgroup makes a tile of BM x BN outputs; each invocation TM x TN of them, as blocks of 4 x 4 that lie BM/(TM/4)
// and BN/(TN/4) apart, so that neighbours read neighbouring vectors of shared memory. The next slice is fetched into
// registers while the present one is multiplied. Every output is one running sum in float32.
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint FORMAT = 4;
layout(constant_id = 2) const uint SCALE_DTYPE = DTYPE_FLOAT32;
layout(constant_id = 3) const uint W_ALIGNMENT = 4;
layout(constant_id = 4) const uint THREADS = 128;
layout(constant_id = 5) const uint BM = 32;
layout(constant_id = 6) const uint BN = 64;
layout(constant_id = 7) const uint TM = 4;
layout(constant_id = 8) const uint TN = 4;
layout(constant_id = 9) const bool X_WHOLE = false;  // fetch_packet: whole
layout(constant_id = 10) const bool TRANSPOSED = true;
layout(constant_id = 11) const uint STEPS = 4;  // of k, in one piece of code
layout(local_size_x_id = 4) in;
const uint BK = 32;
#define PARCELS W_FETCHES
const uint W_FETCHES = (BN * BK / 32 + THREADS - 1) / THREADS;
#include "quantized/quantized_product.glsl"
#include "quantized/quantized_tile.glsl"

const uint X_STRIDE = BM / 4 + 1, W_STRIDE = BN / 4 + 1;
shared vec4 x_tile[BK * X_STRIDE];  // [BK][BM]
shared vec4 w_tile[BK * W_STRIDE];  // [BK][BN]
uvec4 x_packets[X_FETCHES];

void fetch_tiles(Tile tile, uint k) {
  [[unroll]] for (uint i = 0; i < X_FETCHES; ++i) x_packets[i] = fetch_x_packet(X_WHOLE, tile, i, k);
  [[unroll]] for (uint i = 0; i < W_FETCHES; ++i) fetch_w_parcel(tile, i, k);
}

void store_x(Place place, uint first, vec4 values) {
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    x_tile[(place.k + first + i) * X_STRIDE + place.outer / 4][place.outer % 4] = values[i];
  }
}

void store_w(Place place, uint first, vec4 values) {
  if (!TRANSPOSED) {
    w_tile[place.k * W_STRIDE + (place.outer + first) / 4] = values;
    return;
  }
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    w_tile[(place.k + first + i) * W_STRIDE + place.outer / 4][place.outer % 4] = values[i];
  }
}

void store_tiles() {
  [[unroll]] for (uint i = 0; i < X_FETCHES; ++i) {
    const Place place = x_place(i);
    if (!in_tile(place, BM)) continue;
    store_x(place, 0, low_elements(x_packets[i]));
    if (!FLOATS) store_x(place, 4, high_elements(x_packets[i]));
  }
  [[unroll]] for (uint i = 0; i < W_FETCHES; ++i) {
    const Place place = w_place(i);
    if (!in_tile(place, BN)) continue;
    [[unroll]] for (uint j = 0; j < PARCEL / 4; ++j) store_w(place, 4 * j, widened_quad(i, j));
  }
}

const uint THREADS_M = BM / TM, THREADS_N = BN / TN;
vec4 sums[TM * (TN / 4)];  // [TM][TN / 4]

void multiply_step(uint k, uint thread_m, uint thread_n) {
  vec4 w[TN / 4];
  [[unroll]] for (uint j = 0; j < TN / 4; ++j) w[j] = w_tile[k * W_STRIDE + j * THREADS_N + thread_n];
  [[unroll]] for (uint i = 0; i < TM / 4; ++i) {
    const vec4 x = x_tile[k * X_STRIDE + i * THREADS_M + thread_m];
    [[unroll]] for (uint r = 0; r < 4; ++r) {
      [[unroll]] for (uint j = 0; j < TN / 4; ++j) sums[(i * 4 + r) * (TN / 4) + j] += x[r] * w[j];
    }
  }
}

void multiply_tiles(uint thread_m, uint thread_n) {
  [[dont_unroll]] for (uint k = 0; k < BK; k += STEPS) {
    [[unroll]] for (uint i = 0; i < STEPS; ++i) multiply_step(k + i, thread_m, thread_n);
  }
}

void store_sums(Tile tile, uint thread_m, uint thread_n) {
  [[unroll]] for (uint i = 0; i < TM; ++i) {
    const uint m = tile.m * BM + (i / 4 * THREADS_M + thread_m) * 4 + i % 4;
    if (m >= p.M) continue;
    [[unroll]] for (uint j = 0; j < TN; ++j) {
      const uint at = (j / 4 * THREADS_N + thread_n) * 4 + j % 4;
      if (tile.n * BN + at >= p.N) continue;
      store_float(DTYPE, p.out_, int64_t(m) * p.N + tile_column(tile.n, at), sums[i * (TN / 4) + j / 4][j % 4]);
    }
  }
}

void main() {
  const Tile tile = tile_of(WORKGROUP);
  const uint thread_n = gl_LocalInvocationIndex % THREADS_N, thread_m = gl_LocalInvocationIndex / THREADS_N;
  [[unroll]] for (uint i = 0; i < TM * (TN / 4); ++i) sums[i] = vec4(0);
  fetch_tiles(tile, 0);
  for (uint k = 0; k < p.K; k += BK) {
    barrier();
    store_tiles();
    barrier();
    if (k + BK < p.K) fetch_tiles(tile, k + BK);
    multiply_tiles(thread_m, thread_n);
  }
  store_sums(tile, thread_m, thread_n);
}
