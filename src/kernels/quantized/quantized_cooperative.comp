#version 460
// Products of many rows of 16-bit floats with quantized weights on matrix units: 16 x 16 x 16 at subgroup scope, summed
// in float32. Weights are widened into shared memory in x's dtype.
//
// A workgroup makes a tile of BM x BN outputs, each of its subgroups WM x WN of them. x's slice lies along k; that of w
// as its rows do: along k when TRANSPOSED, else along n. A packet of padding after each line keeps lines off each
// other's banks. PREFETCH: the next slice travels into registers while the present one is multiplied; else workgroups
// that share a compute unit hide each other's waits. The bfloat16 variant is the same code: its matrices' bits are only
// moved.
//
//# float16!:
//# bfloat16!: BFLOAT16_MATRICES
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT16;
layout(constant_id = 1) const uint FORMAT = 4;
layout(constant_id = 2) const uint SCALE_DTYPE = DTYPE_FLOAT16;
layout(constant_id = 3) const uint W_ALIGNMENT = 4;
layout(constant_id = 4) const uint THREADS = 256;
layout(constant_id = 5) const uint BM = 128;
layout(constant_id = 6) const uint BN = 128;
layout(constant_id = 7) const uint WM = 64;
layout(constant_id = 8) const uint WN = 32;
layout(constant_id = 9) const bool X_WHOLE = false;  // fetch_packet: whole
layout(constant_id = 10) const bool TRANSPOSED = true;
layout(constant_id = 11) const bool OUT_WHOLE = false;  // packets of the output are aligned and complete
layout(constant_id = 12) const bool PREFETCH = false;
layout(local_size_x_id = 4) in;
const uint BK = 64;
#define PARCELS W_FETCHES
const uint W_FETCHES = (BN * BK / 32 + THREADS - 1) / THREADS;
#include "quantized/quantized_product.glsl"
#include "quantized/quantized_tile.glsl"

// Shared memory, in packets: x's slice, w's slice; in the end, a fragment of sums for each subgroup.
const uint X_LINE = BK / 8 + 1, W_LINE = (TRANSPOSED ? BK : BN) / 8 + 1;
const uint X_PACKETS = BM * X_LINE, W_PACKETS = (TRANSPOSED ? BN : BK) * W_LINE;
shared uvec4 tiles[X_PACKETS + W_PACKETS];
uvec4 x_packets[X_FETCHES];

void fetch_tiles(Tile tile, uint k) {
  [[unroll]] for (uint i = 0; i < X_FETCHES; ++i) x_packets[i] = fetch_x_packet(X_WHOLE, tile, i, k);
  [[unroll]] for (uint i = 0; i < W_FETCHES; ++i) fetch_w_parcel(tile, i, k);
}

uint x_packet_at(uint m, uint k) { return m * X_LINE + k / 8; }
uint w_packet_at(uint n, uint k) { return X_PACKETS + (TRANSPOSED ? n * W_LINE + k / 8 : k * W_LINE + n / 8); }

// Two weights in a word, the first in the low half. Of bfloat16, ties are rounded away from zero, and what is not finite
// becomes NaN as a whole: shorter than the exact conversion, which would take as long as all the rest.
uint narrowed_pair(vec2 values, bool finite) {
  if (DTYPE == DTYPE_FLOAT16) return packHalf2x16(values);
  const uvec2 rounded = floatBitsToUint(values) + 0x8000u;
  return finite ? (rounded.x >> 16) | (rounded.y & 0xffff0000u) : 0x7fc07fc0u;
}
uvec2 narrowed(vec4 values, bool finite) {
  return uvec2(narrowed_pair(values.xy, finite), narrowed_pair(values.zw, finite));
}

bool is_finite(float value) { return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u; }
// Whether no value of a run can be infinite or NaN, d * q + m being what it is.
bool run_is_finite(uint slot, uint run) {
  return is_finite(parcel_d[slot][run] * 256.0) && is_finite(HAS_OFFSET ? parcel_m[slot][run] * 2.0 : 0.0);
}

void store_tiles() {
  [[unroll]] for (uint i = 0; i < X_FETCHES; ++i) {
    const Place place = x_place(i);
    if (in_tile(place, BM)) tiles[x_packet_at(place.outer, place.k)] = x_packets[i];
  }
  [[unroll]] for (uint i = 0; i < W_FETCHES; ++i) {
    const Place place = w_place(i);
    if (!in_tile(place, BN)) continue;
    const uint at = w_packet_at(place.outer, place.k);
    [[unroll]] for (uint j = 0; j < PARCEL / 8; ++j) {
      const bool finite = run_is_finite(i, j / 2);
      tiles[at + j] = uvec4(narrowed(widened_quad(i, 2 * j), finite), narrowed(widened_quad(i, 2 * j + 1), finite));
    }
  }
}

#define MatrixA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define MatrixB coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define Sums coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const uint ROWS = WM / 16, COLUMNS = WN / 16;  // of a subgroup's fragments
Sums sums[ROWS * COLUMNS];

MatrixB load_w(uint n, uint k) {
  MatrixB matrix;
  if (TRANSPOSED) {
    coopMatLoad(matrix, tiles, w_packet_at(n, k), W_LINE, gl_CooperativeMatrixLayoutColumnMajor);
  } else {
    coopMatLoad(matrix, tiles, w_packet_at(n, k), W_LINE, gl_CooperativeMatrixLayoutRowMajor);
  }
  return matrix;
}

// `m` and `n`: where the subgroup's outputs start in the tile.
void multiply_tiles(uint m, uint n) {
  [[unroll]] for (uint k = 0; k < BK; k += 16) {
    MatrixA x[ROWS];
    [[unroll]] for (uint i = 0; i < ROWS; ++i) {
      coopMatLoad(x[i], tiles, x_packet_at(m + i * 16, k), X_LINE, gl_CooperativeMatrixLayoutRowMajor);
    }
    [[unroll]] for (uint j = 0; j < COLUMNS; ++j) {
      const MatrixB w = load_w(n + j * 16, k);
      [[unroll]] for (uint i = 0; i < ROWS; ++i) {
        sums[i * COLUMNS + j] = coopMatMulAdd(x[i], w, sums[i * COLUMNS + j]);
      }
    }
  }
}

// Eight neighbours of a row, of which the first stands at `at` in the tile. Columns come in whole runs, or in order.
void store_packet(Tile tile, uint m, uint at, vec4 low, vec4 high) {
  const uint first = tile.n * BN + at;
  if (m >= p.M || first >= p.N) return;
  const int64_t target = int64_t(m) * p.N + tile_column(tile.n, at);
  if (OUT_WHOLE) {
    const uvec4 packet = uvec4(word_from_floats(DTYPE, low.xy), word_from_floats(DTYPE, low.zw),
                               word_from_floats(DTYPE, high.xy), word_from_floats(DTYPE, high.zw));
    Vector128(element_address(p.out_, target, 2)).value = packet;
    return;
  }
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    if (first + i < p.N) store_float(DTYPE, p.out_, target + i, i < 4 ? low[i] : high[i - 4]);
  }
}

// Fragments go through shared memory, one at a time for each subgroup, since which invocation holds what is unknown.
void store_sums(Tile tile, uint m, uint n) {
  const uint line = 5, stage = gl_SubgroupID * 16 * line;  // packets of four sums
  barrier();
  [[unroll]] for (uint fragment = 0; fragment < ROWS * COLUMNS; ++fragment) {
    coopMatStore(sums[fragment], tiles, stage, line, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    for (uint i = gl_SubgroupInvocationID; i < 32; i += gl_SubgroupSize) {
      const uint row = i / 2, at = stage + row * line + i % 2 * 2;
      store_packet(tile, tile.m * BM + m + fragment / COLUMNS * 16 + row, n + fragment % COLUMNS * 16 + i % 2 * 8,
                   uintBitsToFloat(tiles[at]), uintBitsToFloat(tiles[at + 1]));
    }
    subgroupBarrier();
  }
}

void main() {
  const Tile tile = tile_of(WORKGROUP);
  const uint m = gl_SubgroupID / (BN / WN) * WM, n = gl_SubgroupID % (BN / WN) * WN;
  [[unroll]] for (uint i = 0; i < ROWS * COLUMNS; ++i) sums[i] = Sums(0.0);
  if (PREFETCH) fetch_tiles(tile, 0);
  for (uint k = 0; k < p.K; k += BK) {
    if (!PREFETCH) fetch_tiles(tile, k);
    barrier();
    store_tiles();
    barrier();
    if (PREFETCH && k + BK < p.K) fetch_tiles(tile, k + BK);
    multiply_tiles(m, n);
  }
  store_sums(tile, m, n);
}
