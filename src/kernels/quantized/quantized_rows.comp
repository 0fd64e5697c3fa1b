#version 460
// Products of at most eight rows of x with quantized weights [N, K]: out = x * w^T, straight on the packed weights.
//
// LANES invocations take the parcels of a row of weights in turn, each for COLUMNS neighbouring rows, which share what
// is read of x. A run adds d * sum(q * x) + m * sum(x), in float32.
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;  // of x and out
layout(constant_id = 1) const uint FORMAT = 4;
layout(constant_id = 2) const uint SCALE_DTYPE = DTYPE_FLOAT32;
layout(constant_id = 3) const uint W_ALIGNMENT = 4;
layout(constant_id = 4) const uint THREADS = 128;
layout(constant_id = 5) const uint LANES = 32;    // a multiple of the subgroup's size
layout(constant_id = 6) const uint COLUMNS = 1;
layout(constant_id = 7) const uint ROWS = 1;      // at least M
layout(constant_id = 8) const bool X_WHOLE = false;  // fetch_packet: whole
layout(constant_id = 9) const uint SUBGROUPS = 32;  // of a workgroup, at most
layout(local_size_x_id = 4) in;

#include "quantized/quantized_product.glsl"

const uint SLOTS = THREADS / LANES;  // columns side by side
shared float partial_sums[SUBGROUPS * ROWS * COLUMNS];
float sums[ROWS * COLUMNS];

// Four values of x from packets that hold a run.
vec4 four_of(uvec4 packets[4], uint i) {
  if (FLOATS) return uintBitsToFloat(packets[i]);
  return i % 2 == 0 ? low_elements(packets[i / 2]) : high_elements(packets[i / 2]);
}

// Adds run number `run` of the parcels, which starts at k.
void add_run(Parcel parcels[COLUMNS], uint run, uint k) {
  vec4 integers[COLUMNS * 4];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    [[unroll]] for (uint i = 0; i < 4; ++i) integers[c * 4 + i] = quad(parcels[c], run * 4 + i);
  }
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    // Rows beyond the last are made from the last, and dropped.
    const uint m = min(r, p.M - 1);
    uvec4 packets[4];
    [[unroll]] for (uint i = 0; i < RUN / PACKET; ++i) packets[i] = fetch_x(X_WHOLE, m, k + i * PACKET, PACKET);
    vec4 all = vec4(0);
    [[unroll]] for (uint i = 0; i < 4; ++i) all += four_of(packets, i);
    const float x_sum = dot(all, vec4(1));
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
      vec4 products = vec4(0);
      [[unroll]] for (uint i = 0; i < 4; ++i) products += integers[c * 4 + i] * four_of(packets, i);
      float sum = parcels[c].d[run] * dot(products, inverse_quad_weights());
      if (HAS_OFFSET) sum += parcels[c].m[run] * x_sum;
      sums[r * COLUMNS + c] += sum;
    }
  }
}

void main() {
  const uint thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint slot = thread / LANES, first = WORKGROUP * SLOTS * COLUMNS;
  const uint n = first + slot * COLUMNS;
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) sums[i] = 0.0;
  for (uint at = thread % LANES; at < p.K / PARCEL; at += LANES) {
    Parcel parcels[COLUMNS];
    // Columns beyond the last are made from the last, and dropped.
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) parcels[c] = fetch_parcel(uint64_t(min(n + c, p.N - 1)), at);
    const uint k = parcel_start(at);
    add_run(parcels, 0, k);
    add_run(parcels, 1, k + SECOND_RUN);
  }
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) {
    const float sum = subgroupAdd(sums[i]);
    if (gl_SubgroupInvocationID == 0) partial_sums[gl_SubgroupID * (ROWS * COLUMNS) + i] = sum;
  }
  barrier();
  const uint subgroups = LANES / gl_SubgroupSize;  // of a slot
  for (uint i = gl_LocalInvocationIndex; i < SLOTS * COLUMNS * p.M; i += THREADS) {
    const uint row = i / (SLOTS * COLUMNS), column = i % (SLOTS * COLUMNS);
    float sum = 0.0;
    for (uint s = 0; s < subgroups; ++s) {
      sum += partial_sums[(column / COLUMNS * subgroups + s) * (ROWS * COLUMNS) + row * COLUMNS + column % COLUMNS];
    }
    if (first + column < p.N) store_float(DTYPE, p.out_, int64_t(row) * p.N + first + column, sum);
  }
}
