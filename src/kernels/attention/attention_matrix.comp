#version 460
// Attention of many query rows (prefill) of 16-bit floats, with cooperative matrices of 16 x 16 x 16 summed in
// float32.
//
// A subgroup owns 16 * FRAGMENTS queries of one head: their rows stay in its registers, and so do the weighted sums. The
// workgroup walks the keys in tiles of TILE, which its subgroups share; the next tile is on its way while one is worked
// on. What a matrix element lies in is the device's secret, so scores and weights pass through shared memory between the
// two products.
//
// A row's maximum rises only when a score passes it by 8 (in powers of two): weights stay below 2^8, far from float16's
// end, and the sums need scaling only then, which is rare.
//
// The bfloat16 variant is the same code: operands are only moved, so the matrices' type is all that differs in SPIR-V.
// Where the compiler knows no bfloat16, tools/spirv_bfloat16.py puts that type in.
#include "common.glsl"
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
//# float16!: REAL=float
//# bfloat16!: REAL=float BFLOAT16_MATRICES
#include "attention/attention.glsl"

layout(constant_id = 3) const uint DIM = 16;        // dim, rounded up to a multiple of 16
layout(constant_id = 4) const uint VALUE_DIM = 16;  // value_dim, likewise
layout(constant_id = 5) const uint WIDTH = 32;      // of a subgroup: 16, 32 or 64
layout(constant_id = 6) const uint GROUP = 32;      // invocations: whole subgroups
layout(constant_id = 7) const uint FRAGMENTS = 1;
layout(constant_id = 8) const uint TILE = 32;       // keys, a multiple of 32

layout(local_size_x_id = 6) in;

const uint ROWS = 16 * FRAGMENTS;  // of a subgroup
const uint SUBGROUPS = GROUP / WIDTH;
// Rows in shared memory are 16 bytes longer than what they hold, so that they begin in different banks.
const uint KEY_VECTORS = DIM / 8 + 1;
const uint VALUE_VECTORS = VALUE_DIM / 8 + 1;
const uint WEIGHT_VECTORS = TILE / 8 + 1;
const uint SCORE_VECTORS = TILE / 4 + 1;
const uint SHARERS = WIDTH / 16;  // invocations that soften a row; each takes a row of every fragment
const uint OWN_SCORES = TILE / SHARERS;
const uint KEY_PACKETS = (TILE * DIM / 8 + GROUP - 1) / GROUP;  // of a tile, for each invocation
const uint VALUE_PACKETS = (TILE * VALUE_DIM / 8 + GROUP - 1) / GROUP;

#define RISE 8.0
#define LOG2E 1.44269502

shared uvec4 keys[TILE * KEY_VECTORS];
shared uvec4 values[TILE * VALUE_VECTORS];
shared vec4 scores[SUBGROUPS * ROWS * SCORE_VECTORS];
shared uvec4 weights[SUBGROUPS * ROWS * WEIGHT_VECTORS];

#define MATRIX(type, use) coopmat<type, gl_ScopeSubgroup, 16, 16, use>
MATRIX(float16_t, gl_MatrixUseA) queries[FRAGMENTS * DIM / 16];
MATRIX(float, gl_MatrixUseAccumulator) sums[FRAGMENTS * VALUE_DIM / 16];

uint batch, head, kv_head;
uint first_query, last_query;  // of the workgroup
uint first_row, last_row;      // queries of the subgroup; the last may be below the first
uint own_scores, own_weights;  // where the subgroup's shared memory starts

uint64_t keys_at, values_at;     // of the head's first key and value
int64_t key_bytes, value_bytes;  // from one to the next
uvec4 next_keys[KEY_PACKETS];
uvec4 next_values[VALUE_PACKETS];
float maxima[FRAGMENTS];  // of this invocation's rows, in powers of two
float totals[FRAGMENTS];  // of its share of those rows

// The subgroup's writes to shared memory are seen by all of it.
void meet() {
  controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

// Workgroups are numbered [tile][batch][head], the last queries first: under causality they see the most keys.
void locate() {
  uint index = WORKGROUP;
  head = index % sizes.heads, index /= sizes.heads;
  batch = index % sizes.batch;
  kv_head = head / sizes.group;
  first_query = p.first_query + (p.tiles - 1 - index / sizes.batch) * ROWS * SUBGROUPS;
  last_query = min(first_query + ROWS * SUBGROUPS, sizes.queries) - 1;
  first_row = first_query + gl_SubgroupID * ROWS;
  last_row = min(first_row + ROWS - 1, last_query);
  own_scores = gl_SubgroupID * ROWS * SCORE_VECTORS;
  own_weights = gl_SubgroupID * ROWS * WEIGHT_VECTORS;
  keys_at = element_address(p.k, int64_t(batch) * p.k_strides[0] + int64_t(kv_head) * p.k_strides[1], 2);
  values_at = element_address(p.v, int64_t(batch) * p.v_strides[0] + int64_t(kv_head) * p.v_strides[1], 2);
  key_bytes = p.k_strides[2] * 2;
  value_bytes = p.v_strides[2] * 2;
}

// Brings the subgroup's queries into registers, 32 columns at a time through the place of its weights; zeros outside.
void load_queries() {
  const int64_t start = int64_t(batch) * p.q_strides[0] + int64_t(head) * p.q_strides[1];
  [[unroll]] for (uint column = 0; column < DIM; column += 32) {
    for (uint i = gl_SubgroupInvocationID; i < ROWS * 4; i += WIDTH) {
      const uint row = i / 4, from = column + i % 4 * 8;
      const int64_t at = start + int64_t(first_row + row) * p.q_strides[2] + int64_t(from) * p.q_strides[3];
      const bool inside = first_row + row <= last_row && from < sizes.dim;
      weights[own_weights + row * WEIGHT_VECTORS + i % 4] =
          fetch_packet(false, element_address(p.q, at, 2), p.q_strides[3] * 2, inside ? sizes.dim - from : 0);
    }
    meet();
    [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
      [[unroll]] for (uint side = 0; side < 2 && column + 16 * side < DIM; ++side) {
        coopMatLoad(queries[f * (DIM / 16) + column / 16 + side], weights,
                    own_weights + f * 16 * WEIGHT_VECTORS + side * 2, WEIGHT_VECTORS,
                    gl_CooperativeMatrixLayoutRowMajor);
      }
    }
    meet();
  }
}

// Packet number i of a tile of keys or values; zeros outside.
uvec4 fetch_key(uint first_key, uint i) {
  const uint key = first_key + i / (DIM / 8), column = i % (DIM / 8) * 8;
  const uint64_t at = keys_at + uint64_t(int64_t(key) * key_bytes) + column * 2;
  return fetch_packet(true, at, 2, key < sizes.keys && column < sizes.dim ? sizes.dim - column : 0);
}
uvec4 fetch_value(uint first_key, uint i) {
  const uint key = first_key + i / (VALUE_DIM / 8), column = i % (VALUE_DIM / 8) * 8;
  const uint64_t at = values_at + uint64_t(int64_t(key) * value_bytes) + column * 2;
  return fetch_packet(true, at, 2, key < sizes.keys && column < sizes.value_dim ? sizes.value_dim - column : 0);
}

void fetch_tile(uint first_key) {
  [[unroll]] for (uint n = 0; n < KEY_PACKETS; ++n) {
    next_keys[n] = fetch_key(first_key, n * GROUP + gl_LocalInvocationID.x);
  }
  [[unroll]] for (uint n = 0; n < VALUE_PACKETS; ++n) {
    next_values[n] = fetch_value(first_key, n * GROUP + gl_LocalInvocationID.x);
  }
}

void put_tile() {
  [[unroll]] for (uint n = 0; n < KEY_PACKETS; ++n) {
    const uint i = n * GROUP + gl_LocalInvocationID.x;
    if (i < TILE * DIM / 8) keys[i / (DIM / 8) * KEY_VECTORS + i % (DIM / 8)] = next_keys[n];
  }
  [[unroll]] for (uint n = 0; n < VALUE_PACKETS; ++n) {
    const uint i = n * GROUP + gl_LocalInvocationID.x;
    if (i < TILE * VALUE_DIM / 8) values[i / (VALUE_DIM / 8) * VALUE_VECTORS + i % (VALUE_DIM / 8)] = next_values[n];
  }
}

// Products of the subgroup's queries and the tile's keys, to its scores.
void multiply_keys() {
  MATRIX(float, gl_MatrixUseAccumulator) products[FRAGMENTS * TILE / 16];
  [[unroll]] for (uint i = 0; i < FRAGMENTS * TILE / 16; ++i) {
    products[i] = MATRIX(float, gl_MatrixUseAccumulator)(0.0);
  }
  [[unroll]] for (uint d = 0; d < DIM / 16; ++d) {
    [[unroll]] for (uint n = 0; n < TILE / 16; ++n) {
      MATRIX(float16_t, gl_MatrixUseB) key;
      coopMatLoad(key, keys, n * 16 * KEY_VECTORS + d * 2, KEY_VECTORS, gl_CooperativeMatrixLayoutColumnMajor);
      [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
        products[f * (TILE / 16) + n] =
            coopMatMulAdd(queries[f * (DIM / 16) + d], key, products[f * (TILE / 16) + n]);
      }
    }
  }
  [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
    [[unroll]] for (uint n = 0; n < TILE / 16; ++n) {
      coopMatStore(products[f * (TILE / 16) + n], scores, own_scores + f * 16 * SCORE_VECTORS + n * 4, SCORE_VECTORS,
                   gl_CooperativeMatrixLayoutRowMajor);
    }
  }
}

// The scores of this invocation's share of its row in a fragment, in powers of two, and their maximum.
float read_scores(uint f, uint first_key, bool whole, out float own[OWN_SCORES]) {
  const uint row = f * 16 + gl_SubgroupInvocationID / SHARERS;
  const uint first = gl_SubgroupInvocationID % SHARERS * OWN_SCORES;
  const uint query = min(first_row + row, last_query);
  float top = NO_SCORE;
  [[unroll]] for (uint j = 0; j < OWN_SCORES; ++j) {
    const uint key = first_key + first + j;
    const float product = scores[own_scores + row * SCORE_VECTORS + (first + j) / 4][j % 4];
    if (whole) {
      own[j] = product * (sizes.scale * LOG2E);
    } else {
      const bool seen = key < visible_keys(query);
      own[j] = seen ? masked_score(product * sizes.scale, batch, head, query, key) * LOG2E : NO_SCORE;
    }
    top = max(top, own[j]);
  }
  [[unroll]] for (uint step = 1; step < SHARERS; step *= 2) top = max(top, subgroupShuffleXor(top, step));
  return top;
}

// Two weights, none above 2^8, as the matrices' type.
uint pair_of(float first, float second) {
  return DTYPE == DTYPE_FLOAT16 ? packHalf2x16(vec2(first, second)) : word_from_floats(DTYPE, vec2(first, second));
}

// Weights of a row's share, and its total. The language's exp2 will do: its error, at most 3 + 2 |x| units in the last
// place, is far below the rounding to 16 bits.
void write_weights(uint f, float own[OWN_SCORES]) {
  const uint row = f * 16 + gl_SubgroupInvocationID / SHARERS;
  const uint first = gl_SubgroupInvocationID % SHARERS * OWN_SCORES;
  [[unroll]] for (uint j = 0; j < OWN_SCORES; ++j) {
    own[j] = is_hidden(own[j]) ? 0.0 : exp2(own[j] - maxima[f]);
    totals[f] += own[j];
  }
  [[unroll]] for (uint j = 0; j < OWN_SCORES; j += 8) {
    weights[own_weights + row * WEIGHT_VECTORS + (first + j) / 8] =
        uvec4(pair_of(own[j], own[j + 1]), pair_of(own[j + 2], own[j + 3]), pair_of(own[j + 4], own[j + 5]),
              pair_of(own[j + 6], own[j + 7]));
  }
}

// Scales the sums of a fragment by each row's factor, through the place of its scores.
void scale_sums(uint f, float factor) {
  const uint at = own_scores + f * 16 * SCORE_VECTORS;
  const uint row = at + gl_SubgroupInvocationID / SHARERS * SCORE_VECTORS;
  [[unroll]] for (uint n = 0; n < VALUE_DIM / 16; ++n) {
    meet();
    coopMatStore(sums[f * (VALUE_DIM / 16) + n], scores, at, SCORE_VECTORS, gl_CooperativeMatrixLayoutRowMajor);
    meet();
    [[unroll]] for (uint v = 0; v < 4; v += SHARERS) scores[row + v + gl_SubgroupInvocationID % SHARERS] *= factor;
    meet();
    coopMatLoad(sums[f * (VALUE_DIM / 16) + n], scores, at, SCORE_VECTORS, gl_CooperativeMatrixLayoutRowMajor);
  }
}

// Scores become weights.
void soften(uint first_key) {
  const bool whole = MASK == MASK_NONE && first_key + TILE <= visible_keys(first_row);
  [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
    float own[OWN_SCORES];
    const float top = read_scores(f, first_key, whole, own);
    const bool rises = top > maxima[f] + RISE;
    const float factor = rises && !is_hidden(maxima[f]) ? exp2(maxima[f] - top) : 1.0;
    if (rises) maxima[f] = top;
    totals[f] *= factor;
    write_weights(f, own);
    if (subgroupBallot(factor != 1.0) != uvec4(0)) scale_sums(f, factor);
  }
}

void multiply_values() {
  [[unroll]] for (uint k = 0; k < TILE / 16; ++k) {
    MATRIX(float16_t, gl_MatrixUseA) weight[FRAGMENTS];
    [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
      coopMatLoad(weight[f], weights, own_weights + f * 16 * WEIGHT_VECTORS + k * 2, WEIGHT_VECTORS,
                  gl_CooperativeMatrixLayoutRowMajor);
    }
    [[unroll]] for (uint n = 0; n < VALUE_DIM / 16; ++n) {
      MATRIX(float16_t, gl_MatrixUseB) value;
      coopMatLoad(value, values, k * 16 * VALUE_VECTORS + n * 2, VALUE_VECTORS, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
        sums[f * (VALUE_DIM / 16) + n] = coopMatMulAdd(weight[f], value, sums[f * (VALUE_DIM / 16) + n]);
      }
    }
  }
}

// The subgroup's rows of the output, 16 columns at a time through the place of its scores.
void store() {
  const int64_t start = int64_t(batch) * p.out_strides[0] + int64_t(head) * p.out_strides[1];
  [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) {
    float total = totals[f];
    [[unroll]] for (uint step = 1; step < SHARERS; step *= 2) total += subgroupShuffleXor(total, step);
    const uint at = own_scores + f * 16 * SCORE_VECTORS;
    const uint row = gl_SubgroupInvocationID / SHARERS, query = first_row + f * 16 + row;
    const int64_t out_row = start + int64_t(query) * p.out_strides[2];
    [[unroll]] for (uint n = 0; n < VALUE_DIM / 16; ++n) {
      meet();
      coopMatStore(sums[f * (VALUE_DIM / 16) + n], scores, at, SCORE_VECTORS, gl_CooperativeMatrixLayoutRowMajor);
      meet();
      [[unroll]] for (uint v = 0; v < 4; v += SHARERS) {
        const uint own = v + gl_SubgroupInvocationID % SHARERS, column = n * 16 + own * 4;
        const vec4 sum = scores[at + row * SCORE_VECTORS + own];
        const vec4 mean = vec4(normalized(sum.x, total), normalized(sum.y, total), normalized(sum.z, total),
                               normalized(sum.w, total));
        if (query <= last_query && column < sizes.value_dim) {
          store_float4(DTYPE, element_address(p.out_, out_row + column, 2), mean);
        }
      }
    }
  }
}

void main() {
  read_parameters();
  locate();
  load_queries();
  [[unroll]] for (uint f = 0; f < FRAGMENTS; ++f) maxima[f] = NO_SCORE, totals[f] = 0.0;
  [[unroll]] for (uint i = 0; i < FRAGMENTS * VALUE_DIM / 16; ++i) {
    sums[i] = MATRIX(float, gl_MatrixUseAccumulator)(0.0);
  }
  const uint end = visible_keys(last_query), own_end = first_row <= last_query ? visible_keys(last_row) : 0;
  fetch_tile(0);
  for (uint first_key = 0; first_key < end; first_key += TILE) {
    barrier();
    put_tile();
    barrier();
    fetch_tile(first_key + TILE);
    if (first_key >= own_end) continue;
    multiply_keys();
    meet();
    soften(first_key);
    meet();
    multiply_values();
  }
  store();
}
