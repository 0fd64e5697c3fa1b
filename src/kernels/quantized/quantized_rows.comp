#version 460
// Products of at most eight rows of x with quantized weights [N, K]: out = x * w^T, straight on the packed weights.
//
// LANES invocations take the parcels of a row of weights in turn, each for COLUMNS neighbouring rows, which share what
// is read of x. x is staged in shared memory, in float32, divided by quad_weights(), and laid out so that neighbouring
// parcels are neighbours. A run adds d * sum(q * x) + m * sum(x).
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;  // of x and out
layout(constant_id = 1) const uint FORMAT = 4;
layout(constant_id = 2) const uint SCALE_DTYPE = DTYPE_FLOAT32;
layout(constant_id = 3) const uint W_ALIGNMENT = 4;
layout(constant_id = 4) const uint THREADS = 128;
layout(constant_id = 5) const uint LANES = 32;  // a multiple of the subgroup's size
layout(constant_id = 6) const uint COLUMNS = 1;
layout(constant_id = 7) const uint ROWS = 1;            // at least M
layout(constant_id = 8) const bool X_WHOLE = false;     // runs of x are neighbours, aligned to four elements
layout(constant_id = 9) const uint STAGE_PARCELS = 32;  // a multiple of LANES
layout(local_size_x_id = 4) in;
#define PARCELS COLUMNS
#include "quantized/quantized_product.glsl"

const uint SLOTS = THREADS / LANES;  // columns side by side
const uint QUADS = PARCEL / 4;
// [ROWS][QUADS][STAGE_PARCELS]; in the end, the sums of each subgroup [ROWS][COLUMNS].
shared vec4 stage[ROWS * QUADS * STAGE_PARCELS];
float sums[ROWS * COLUMNS];

// Keeps the quads of a parcel off each other's banks.
uint stage_at(uint row, uint quad_at, uint parcel) {
  return (row * QUADS + quad_at) * STAGE_PARCELS + (parcel ^ quad_at);
}

vec4 four_of_x(uint m, uint k) {
  const uint64_t row = p.x + uint64_t(int64_t(m) * p.x_row * ELEMENT_BYTES);
  if (X_WHOLE) {
    const uint64_t address = row + uint64_t(k) * ELEMENT_BYTES;
    if (FLOATS) return FloatVector(address).value;
    const uvec2 words = Vector64(address).value;
    return vec4(floats_from_word(DTYPE, words.x), floats_from_word(DTYPE, words.y));
  }
  vec4 values;
  [[unroll]] for (uint i = 0; i < 4; ++i) values[i] = load_float(DTYPE, row, int64_t(k + i) * p.x_column);
  return values;
}

// Stages `count` parcels of x from number `first` on. Rows beyond the last are the last, and their sums are dropped.
void stage_x(uint first, uint count) {
  const vec4 factors = inverse_quad_weights();
  [[dont_unroll]] for (uint r = 0; r < ROWS; ++r) {
    [[dont_unroll]] for (uint i = gl_LocalInvocationIndex; i < count * QUADS; i += THREADS) {
      const uint parcel = i / QUADS, quad_at = i % QUADS;
      const vec4 values = four_of_x(min(r, p.M - 1), parcel_position(first + parcel, 4 * quad_at));
      stage[stage_at(r, quad_at, parcel)] = values * factors;
    }
  }
}

// Adds run number `run` of all parcels; `staged` is where their part of x stands.
void add_run(uint run, uint staged) {
  vec4 integers[COLUMNS * 4];
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    [[unroll]] for (uint i = 0; i < 4; ++i) integers[c * 4 + i] = quad(c, run * 4 + i);
  }
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    vec4 x[4];
    [[unroll]] for (uint i = 0; i < 4; ++i) x[i] = stage[stage_at(r, run * 4 + i, staged)];
    const float x_sum = dot((x[0] + x[1]) + (x[2] + x[3]), quad_weights());
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
      float product = 0.0;
      [[unroll]] for (uint i = 0; i < 4; ++i) product += dot(integers[c * 4 + i], x[i]);
      float sum = parcel_d[c][run] * product;
      if (HAS_OFFSET) sum += parcel_m[c][run] * x_sum;
      sums[r * COLUMNS + c] += sum;
    }
  }
}

// Leaves each subgroup's sums in shared memory.
void share_sums() {
  barrier();
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) {
    const float sum = subgroupAdd(sums[i]);
    const uint at = gl_SubgroupID * (ROWS * COLUMNS) + i;
    if (gl_SubgroupInvocationID == 0) stage[at / 4][at % 4] = sum;
  }
  barrier();
}

void store_sums(uint first) {
  const uint subgroups = LANES / gl_SubgroupSize;  // of a slot
  for (uint i = gl_LocalInvocationIndex; i < SLOTS * COLUMNS * p.M; i += THREADS) {
    const uint row = i / (SLOTS * COLUMNS), column = i % (SLOTS * COLUMNS);
    float sum = 0.0;
    for (uint s = 0; s < subgroups; ++s) {
      const uint at = (column / COLUMNS * subgroups + s) * (ROWS * COLUMNS) + row * COLUMNS + column % COLUMNS;
      sum += stage[at / 4][at % 4];
    }
    if (first + column < p.N) store_float(DTYPE, p.out_, int64_t(row) * p.N + first + column, sum);
  }
}

void main() {
  const uint thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint first = WORKGROUP * SLOTS * COLUMNS, n = first + thread / LANES * COLUMNS, parcels = p.K / PARCEL;
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) sums[i] = 0.0;
  WeightRow rows[COLUMNS];
  // Columns beyond the last are made from the last, and dropped.
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) rows[c] = weight_row(uint64_t(min(n + c, p.N - 1)));
  for (uint begin = 0; begin < parcels; begin += STAGE_PARCELS) {
    const uint count = min(parcels - begin, STAGE_PARCELS);
    barrier();
    stage_x(begin, count);
    barrier();
    for (uint at = thread % LANES; at < count; at += LANES) {
      [[unroll]] for (uint c = 0; c < COLUMNS; ++c) fetch_parcel(c, rows[c], begin + at);
      add_run(0, at);
      add_run(1, at);
    }
  }
  share_sums();
  store_sums(first);
}
