#version 460
// Attention of many query rows (prefill) with products in float32.
//
// A workgroup takes 16 * ROWS queries of one head and walks the keys in tiles of 32, without those that causality hides
// from all of them. Its invocations form a grid of 16 by 8: each holds ROWS rows (16 apart) of 4 scores, and of its
// share of the output's columns. Keys and values pass through shared memory in slices of 1024 elements, widened to
// float32; the next slice is on its way while one is worked on. Heads that share keys run side by side.
#include "common.glsl"
//# float: REAL=float
#include "attention/attention.glsl"

layout(constant_id = 3) const uint ROWS = 4;         // 1, 2 or 4
layout(constant_id = 4) const uint DIM = 32;         // dim, rounded up to a multiple of 32
layout(constant_id = 5) const uint VALUE_DIM = 32;   // value_dim, likewise; at most 256

#define GROUP 128
#define TILE 32                   // keys
#define SLICE_DIM 32              // columns of a slice of keys
#define TILE_VECTORS 9            // a row of 32 floats, as vec4, and one more so that rows begin in different banks
const uint TILE_ROWS = 16 * ROWS;
const uint QUERY_VECTORS = DIM / 4 + 1;
const uint VALUE_VECTORS = VALUE_DIM / 4;
const uint OWN_VECTORS = VALUE_DIM / 32;  // of a row of the output
const uint SLICE_VALUES = VALUE_VECTORS <= 8 ? 32 : VALUE_VECTORS <= 16 ? 16 : VALUE_VECTORS <= 32 ? 8 : 4;
const uint KEY_PACKETS = SLICE_DIM / PACKET;    // of a key's part in a slice
const uint VALUE_PACKETS = VALUE_DIM / PACKET;  // of a value
const uint FETCHES = 1024 / PACKET / GROUP;     // packets of a slice for each invocation
const uint SHARERS = GROUP / TILE_ROWS;     // invocations that soften a row
const uint SHARE = TILE / 4 / SHARERS;      // vectors of a row for each

layout(local_size_x = GROUP) in;

shared vec4 query[TILE_ROWS * QUERY_VECTORS];
shared vec4 slice[TILE * TILE_VECTORS];  // keys [32][9], or values [SLICE_VALUES][VALUE_VECTORS]
shared vec4 weights[TILE_ROWS * TILE_VECTORS];
shared float keeps[TILE_ROWS];
shared float totals[GROUP];

uint batch, head, kv_head, first_query, last_query;
uint row_group, column_group;
uint64_t keys_at, values_at;     // of the head's first key and value
int64_t key_bytes, value_bytes;  // from one to the next
int64_t key_step, value_step;    // from one element to the next
uvec4 packets[FETCHES];

vec4 scores[ROWS];             // of keys 4 * column_group + [0, 4)
vec4 sums[ROWS * OWN_VECTORS];  // of columns 4 * (column_group + 8 * i) + [0, 4)
float maximum;                 // of the row that this invocation softens
float total;                   // of its share of that row

// Workgroups are numbered [tile][batch][head], the last queries first: under causality they see the most keys.
void locate() {
  uint index = WORKGROUP;
  head = index % sizes.heads, index /= sizes.heads;
  batch = index % sizes.batch;
  kv_head = head / sizes.group;
  first_query = p.first_query + (p.tiles - 1 - index / sizes.batch) * TILE_ROWS;
  last_query = min(first_query + TILE_ROWS, sizes.queries) - 1;
  row_group = gl_LocalInvocationID.x / 8;
  column_group = gl_LocalInvocationID.x % 8;
  keys_at = element_address(p.k, int64_t(batch) * p.k_strides[0] + int64_t(kv_head) * p.k_strides[1], ELEMENT_BYTES);
  values_at = element_address(p.v, int64_t(batch) * p.v_strides[0] + int64_t(kv_head) * p.v_strides[1], ELEMENT_BYTES);
  key_bytes = p.k_strides[2] * ELEMENT_BYTES, key_step = p.k_strides[3] * ELEMENT_BYTES;
  value_bytes = p.v_strides[2] * ELEMENT_BYTES, value_step = p.v_strides[3] * ELEMENT_BYTES;
}

// Scaled; zeros outside.
void load_queries() {
  const int64_t start = int64_t(batch) * p.q_strides[0] + int64_t(head) * p.q_strides[1];
  [[dont_unroll]] for (uint i = gl_LocalInvocationID.x; i < TILE_ROWS * DIM / 4; i += GROUP) {
    const uint row = i / (DIM / 4), column = i % (DIM / 4) * 4;
    const int64_t at = start + int64_t(first_query + row) * p.q_strides[2];
    vec4 values = vec4(0.0);
    [[unroll]] for (uint c = 0; c < 4; ++c) {
      if (first_query + row <= last_query && column + c < sizes.dim) {
        values[c] = load_real(p.q, at + int64_t(column + c) * p.q_strides[3]) * sizes.scale;
      }
    }
    query[row * QUERY_VECTORS + column / 4] = values;
  }
}

// Puts a packet, widened, where its elements lie in the slice.
void put(uint vector, uvec4 packet) {
  slice[vector] = low_elements(packet);
  if (!FLOATS) slice[vector + 1] = high_elements(packet);
}

// This invocation's packets of a slice, on their way; zeros outside.
void fetch_keys(uint first_key, uint first_column) {
  [[unroll]] for (uint n = 0; n < FETCHES; ++n) {
    const uint i = n * GROUP + gl_LocalInvocationID.x;
    const uint key = first_key + i / KEY_PACKETS, column = first_column + i % KEY_PACKETS * PACKET;
    const uint64_t at = keys_at + uint64_t(int64_t(key) * key_bytes + int64_t(column) * key_step);
    packets[n] = fetch_packet(WHOLE, at, key_step, key < sizes.keys && column < sizes.dim ? sizes.dim - column : 0);
  }
}

// Key k of the tile goes to row k % 4 * 8 + k / 4, so that the keys that eight neighbours read together are neighbours.
void put_keys() {
  [[unroll]] for (uint n = 0; n < FETCHES; ++n) {
    const uint i = n * GROUP + gl_LocalInvocationID.x, k = i / KEY_PACKETS;
    put((k % 4 * 8 + k / 4) * TILE_VECTORS + i % KEY_PACKETS * PACKET / 4, packets[n]);
  }
}

void fetch_values(uint first_key) {
  [[unroll]] for (uint n = 0; n < FETCHES; ++n) {
    const uint i = n * GROUP + gl_LocalInvocationID.x;
    const uint key = first_key + i / VALUE_PACKETS, column = i % VALUE_PACKETS * PACKET;
    const bool inside = i < SLICE_VALUES * VALUE_PACKETS && key < sizes.keys && column < sizes.value_dim;
    const uint64_t at = values_at + uint64_t(int64_t(key) * value_bytes + int64_t(column) * value_step);
    packets[n] = fetch_packet(WHOLE, at, value_step, inside ? sizes.value_dim - column : 0);
  }
}

void put_values() {
  [[unroll]] for (uint n = 0; n < FETCHES; ++n) {
    const uint i = n * GROUP + gl_LocalInvocationID.x;
    if (i < SLICE_VALUES * VALUE_PACKETS) put(i * PACKET / 4, packets[n]);
  }
}

void multiply_keys(uint first_key) {
  [[unroll]] for (uint r = 0; r < ROWS; ++r) scores[r] = vec4(0.0);
  [[dont_unroll]] for (uint first_column = 0; first_column < DIM; first_column += SLICE_DIM) {
    barrier();
    put_keys();
    barrier();
    if (first_column + SLICE_DIM < DIM) {
      fetch_keys(first_key, first_column + SLICE_DIM);
    } else {
      fetch_values(first_key);
    }
    [[dont_unroll]] for (uint v = 0; v < SLICE_DIM / 4; ++v) {
      vec4 keys[4];
      [[unroll]] for (uint k = 0; k < 4; ++k) keys[k] = slice[(k * 8 + column_group) * TILE_VECTORS + v];
      [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        const vec4 x = query[(row_group + 16 * r) * QUERY_VECTORS + first_column / 4 + v];
        [[unroll]] for (uint k = 0; k < 4; ++k) {
          const float half_sum = fma(x.y, keys[k].y, fma(x.x, keys[k].x, scores[r][k]));
          scores[r][k] = fma(x.w, keys[k].w, fma(x.z, keys[k].z, half_sum));
        }
      }
    }
  }
}

// Hides what a row does not see, where the tile may hold such keys.
void mask_scores(uint first_key) {
  if (MASK != MASK_NONE || first_key + TILE > visible_keys(first_query)) {
    [[unroll]] for (uint r = 0; r < ROWS; ++r) {
      const uint query = min(first_query + row_group + 16 * r, last_query);
      const uint seen = visible_keys(query);
      [[unroll]] for (uint k = 0; k < 4; ++k) {
        const uint key = first_key + 4 * column_group + k;
        scores[r][k] = key < seen ? masked_score(scores[r][k], batch, head, query, key) : NO_SCORE;
      }
    }
  }
}

// Scores in shared memory become weights. SHARERS invocations share a row: each knows its maximum, and sums its share.
void soften() {
  const uint row = gl_LocalInvocationID.x / SHARERS, share = gl_LocalInvocationID.x % SHARERS;
  float top = maximum;
  [[unroll]] for (uint v = 0; v < TILE / 4; ++v) {
    const vec4 x = weights[row * TILE_VECTORS + v];
    top = max(top, max(max(x.x, x.y), max(x.z, x.w)));
  }
  vec4 own[SHARE];
  [[unroll]] for (uint v = 0; v < SHARE; ++v) {
    own[v] = weights[row * TILE_VECTORS + share * SHARE + v];
    [[unroll]] for (uint c = 0; c < 4; ++c) own[v][c] = weight_of(own[v][c], top);
  }
  const float keep = weight_of(maximum, top);
  maximum = top;
  total *= keep;
  [[unroll]] for (uint v = 0; v < SHARE; ++v) total += (own[v].x + own[v].y) + (own[v].z + own[v].w);
  barrier();
  [[unroll]] for (uint v = 0; v < SHARE; ++v) weights[row * TILE_VECTORS + share * SHARE + v] = own[v];
  if (share == 0) keeps[row] = keep;
}

void multiply_values(uint first_key) {
  [[dont_unroll]] for (uint first = 0; first < TILE; first += SLICE_VALUES) {
    barrier();
    put_values();
    barrier();
    if (first + SLICE_VALUES < TILE) {
      fetch_values(first_key + first + SLICE_VALUES);
    } else {
      fetch_keys(first_key + TILE, 0);
    }
    if (first == 0) {
      [[unroll]] for (uint i = 0; i < ROWS * OWN_VECTORS; ++i) sums[i] *= keeps[row_group + 16 * (i / OWN_VECTORS)];
    }
    [[dont_unroll]] for (uint k = 0; k < SLICE_VALUES; k += 4) {
      vec4 weight[ROWS];
      [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        weight[r] = weights[(row_group + 16 * r) * TILE_VECTORS + (first + k) / 4];
      }
      [[unroll]] for (uint i = 0; i < OWN_VECTORS; ++i) {
        [[unroll]] for (uint c = 0; c < 4; ++c) {
          const vec4 value = slice[(k + c) * VALUE_VECTORS + column_group + 8 * i];
          [[unroll]] for (uint r = 0; r < ROWS; ++r) {
            sums[r * OWN_VECTORS + i] = fma(vec4(weight[r][c]), value, sums[r * OWN_VECTORS + i]);
          }
        }
      }
    }
  }
}

void store_vector(int64_t row, uint column, vec4 values) {
  if (WHOLE) {
    if (column < sizes.value_dim) store_float4(DTYPE, element_address(p.out_, row + column, ELEMENT_BYTES), values);
  } else {
    [[unroll]] for (uint c = 0; c < 4; ++c) {
      if (column + c < sizes.value_dim) store_real(p.out_, row + column + c, values[c]);
    }
  }
}

// A row's total, of all who softened it.
float whole_total(uint row) {
  float whole = totals[row * SHARERS];
  for (uint s = 1; s < SHARERS; ++s) whole += totals[row * SHARERS + s];
  return whole;
}

// Sums go through the place of the weights, 32 columns at a time.
void store() {
  totals[gl_LocalInvocationID.x] = total;
  const int64_t start = int64_t(batch) * p.out_strides[0] + int64_t(head) * p.out_strides[1];
  for (uint i = 0; i < OWN_VECTORS; ++i) {
    barrier();
    [[unroll]] for (uint n = 0; n < ROWS * OWN_VECTORS; ++n) {
      const uint row = row_group + 16 * (n / OWN_VECTORS);
      if (n % OWN_VECTORS == i) weights[row * TILE_VECTORS + column_group] = sums[n];
    }
    barrier();
    for (uint row = row_group; first_query + row <= last_query && row < TILE_ROWS; row += 16) {
      const vec4 sum = weights[row * TILE_VECTORS + column_group];
      const float whole = whole_total(row);
      const vec4 values =
          vec4(normalized(sum.x, whole), normalized(sum.y, whole), normalized(sum.z, whole), normalized(sum.w, whole));
      store_vector(start + int64_t(first_query + row) * p.out_strides[2], 4 * (column_group + 8 * i), values);
    }
  }
}

void main() {
  read_parameters();
  locate();
  load_queries();
  maximum = NO_SCORE;
  total = 0.0;
  [[unroll]] for (uint i = 0; i < ROWS * OWN_VECTORS; ++i) sums[i] = vec4(0.0);
  const uint end = visible_keys(last_query);
  fetch_keys(0, 0);
  for (uint first_key = 0; first_key < end; first_key += TILE) {
    multiply_keys(first_key);
    mask_scores(first_key);
    [[unroll]] for (uint r = 0; r < ROWS; ++r) weights[(row_group + 16 * r) * TILE_VECTORS + column_group] = scores[r];
    barrier();
    soften();
    multiply_values(first_key);
  }
  store();
}
