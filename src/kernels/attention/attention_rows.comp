#version 460
// Attention of few query rows (decode), and of operands that the tiled kernels do not take.
//
// The query rows of the heads that share a key/value head are one list of rows; a workgroup takes ROWS of it against one
// part of the keys, so that keys and values are read once for all of them. LANES neighbours share the dot product of a
// key; COLUMNS neighbours share a row of values, and the workgroup's slices of COLUMNS each take every SLICES-th key.
// Where there is more than one part, the state of each goes to scratch, and attention_join.comp joins them.
#include "common.glsl"
//# float: REAL=float
//# double: REAL=double FLOAT64
#include "attention/attention.glsl"

layout(constant_id = 3) const uint ROWS = 1;
layout(constant_id = 4) const uint LANES = 4;     // a power of two, at most the subgroup's width
layout(constant_id = 5) const uint PIECES = 1;    // packets of a key that an invocation holds: LANES * PIECES cover it
layout(constant_id = 6) const uint COLUMNS = 32;  // a power of two, at most GROUP
layout(constant_id = 7) const uint BLOCKS = 1;    // packets of a row of values that it holds: COLUMNS * BLOCKS cover it

#define GROUP 128
#define TILE 128  // keys whose scores are held at a time
#define UNROLL 4  // keys or values in flight
#define MAX_SUBGROUPS 32
const uint SLOTS = GROUP / LANES;
const uint SLICES = GROUP / COLUMNS;

layout(local_size_x = GROUP) in;

shared REAL weights[ROWS * TILE];
shared REAL maxima_of_subgroups[ROWS * MAX_SUBGROUPS];
shared REAL totals_of_subgroups[ROWS * MAX_SUBGROUPS];
shared REAL exchange[GROUP * PACKET];

uint thread;  // subgroups hold neighbours, whatever the device's order of invocations
uint batch, kv_head, part_index;
uint first_row;

REAL queries[ROWS * PIECES * PACKET];  // scaled
REAL sums[ROWS * BLOCKS * PACKET];
REAL maxima[ROWS];
REAL totals[ROWS];
REAL keep[ROWS];  // what becomes of earlier sums at a tile: e^(old maximum - new)
FETCHED packets[UNROLL];
REAL products[ROWS * UNROLL];

uint row_count() { return p.queries * p.group; }
// The last workgroup of a list may have rows too many: they repeat the last one.
uint row_at(uint r) { return min(first_row + r, row_count() - 1); }
uint query_of(uint r) { return row_at(r) / p.group; }
uint head_of(uint r) { return kv_head * p.group + row_at(r) % p.group; }

// Workgroups are numbered [batch][part][list of rows][key/value head]: in a cache the heads lie side by side.
void locate() {
  thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint kv_heads = p.heads / p.group, lists = (row_count() + ROWS - 1) / ROWS;
  uint index = WORKGROUP;
  kv_head = index % kv_heads, index /= kv_heads;
  first_row = index % lists * ROWS, index /= lists;
  part_index = index % p.parts;
  batch = index / p.parts;
}

void load_queries() {
  const uint lane = thread % LANES;
  for (uint r = 0; r < ROWS; ++r) {
    const int64_t start = int64_t(batch) * p.q_strides[0] + int64_t(head_of(r)) * p.q_strides[1] +
                          int64_t(query_of(r)) * p.q_strides[2];
    for (uint i = 0; i < PIECES * PACKET; ++i) {
      const uint column = (i / PACKET * LANES + lane) * PACKET + i % PACKET;
      const bool inside = column < p.dim;
      queries[r * PIECES * PACKET + i] =
          inside ? load_real(p.q, start + int64_t(column) * p.q_strides[3]) * REAL(p.scale) : REAL(0.0);
    }
  }
}

// The packet from `column` on of a key or value; zeros where it is outside.
FETCHED fetch_key(uint key, bool inside, uint column) {
  const int64_t start = int64_t(batch) * p.k_strides[0] + int64_t(kv_head) * p.k_strides[1] +
                        int64_t(key) * p.k_strides[2] + int64_t(column) * p.k_strides[3];
  return fetch_packet(WHOLE, element_address(p.k, start, ELEMENT_BYTES), p.k_strides[3] * ELEMENT_BYTES,
                      inside && column < p.dim ? p.dim - column : 0);
}
FETCHED fetch_value(uint key, bool inside, uint column) {
  const int64_t start = int64_t(batch) * p.v_strides[0] + int64_t(kv_head) * p.v_strides[1] +
                        int64_t(key) * p.v_strides[2] + int64_t(column) * p.v_strides[3];
  return fetch_packet(WHOLE, element_address(p.v, start, ELEMENT_BYTES), p.v_strides[3] * ELEMENT_BYTES,
                      inside && column < p.value_dim ? p.value_dim - column : 0);
}

// Adds the products of one piece of UNROLL keys.
void add_products(uint piece) {
  [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
    [[unroll]] for (uint i = 0; i < PACKET; ++i) {
      const REAL key = element(packets[u], i);
      [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        products[u * ROWS + r] += queries[(r * PIECES + piece) * PACKET + i] * key;
      }
    }
  }
}

// The scores of key first + j, product number u, for all rows: each lane writes those of its own rows.
void write_scores(uint u, uint first, uint j, uint count) {
  for (uint r = thread % LANES; r < ROWS; r += LANES) {
    REAL product = REAL(0.0);
    [[unroll]] for (uint i = 0; i < ROWS; ++i) product = i == r ? products[u * ROWS + i] : product;
    if (j >= count) continue;
    const uint key = first + j, query = query_of(r);
    weights[r * TILE + j] =
        key < visible_keys(query) ? masked_score(product, batch, head_of(r), query, key) : NO_SCORE;
  }
}

// The scores of keys [first, first + count) go to `weights`.
void score(uint first, uint count) {
  const uint lane = thread % LANES;
  for (uint base = thread / LANES; base - thread / LANES < count; base += SLOTS * UNROLL) {
    [[unroll]] for (uint i = 0; i < ROWS * UNROLL; ++i) products[i] = REAL(0.0);
    [[unroll]] for (uint piece = 0; piece < PIECES; ++piece) {
      [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
        const uint j = base + u * SLOTS;
        packets[u] = fetch_key(first + j, j < count, (piece * LANES + lane) * PACKET);
      }
      add_products(piece);
    }
    for (uint step = 1; step < LANES; step *= 2) {
      [[unroll]] for (uint i = 0; i < ROWS * UNROLL; ++i) products[i] += subgroupShuffleXor(products[i], step);
    }
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) write_scores(u, first, base + u * SLOTS, count);
  }
}

// The maxima including a tile's, and what is kept of what came before.
void raise_maxima(uint count) {
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    REAL top = NO_SCORE;
    for (uint j = thread; j < count; j += GROUP) top = max(top, weights[r * TILE + j]);
    top = subgroupMax(top);
    if (gl_SubgroupInvocationID == 0) maxima_of_subgroups[r * MAX_SUBGROUPS + gl_SubgroupID] = top;
  }
  barrier();
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    REAL top = maxima[r];
    for (uint s = 0; s < gl_NumSubgroups; ++s) top = max(top, maxima_of_subgroups[r * MAX_SUBGROUPS + s]);
    keep[r] = weight_of(maxima[r], top);
    maxima[r] = top;
  }
}

// Scores become weights, and the totals grow by them.
void soften(uint count) {
  raise_maxima(count);
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    REAL total = REAL(0.0);
    for (uint j = thread; j < count; j += GROUP) {
      const REAL weight = weight_of(weights[r * TILE + j], maxima[r]);
      weights[r * TILE + j] = weight;
      total += weight;
    }
    total = subgroupAdd(total);
    if (gl_SubgroupInvocationID == 0) totals_of_subgroups[r * MAX_SUBGROUPS + gl_SubgroupID] = total;
  }
  barrier();
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    totals[r] *= keep[r];
    for (uint s = 0; s < gl_NumSubgroups; ++s) totals[r] += totals_of_subgroups[r * MAX_SUBGROUPS + s];
  }
}

// Adds the weighted values of keys [first, first + count) to the slice's sums.
void weigh(uint first, uint count) {
  [[unroll]] for (uint i = 0; i < ROWS * BLOCKS * PACKET; ++i) sums[i] *= keep[i / (BLOCKS * PACKET)];
  for (uint base = thread / COLUMNS; base < count; base += SLICES * UNROLL) {
    [[unroll]] for (uint block = 0; block < BLOCKS; ++block) {
      [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
        const uint j = base + u * SLICES, column = (block * COLUMNS + thread % COLUMNS) * PACKET;
        packets[u] = fetch_value(first + j, j < count, column);
      }
      [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
        const uint j = base + u * SLICES;
        [[unroll]] for (uint r = 0; r < ROWS; ++r) {
          const REAL weight = j < count ? weights[r * TILE + j] : REAL(0.0);
          [[unroll]] for (uint i = 0; i < PACKET; ++i) {
            sums[(r * BLOCKS + block) * PACKET + i] += weight * element(packets[u], i);
          }
        }
      }
    }
  }
}

void store(uint r, uint column, REAL sum) {
  if (p.parts > 1) {
    const int64_t line = (int64_t(batch) * p.heads + head_of(r)) * p.queries + query_of(r);
    store_state(p.sums, (line * p.parts + part_index) * p.value_dim + column, sum);
    if (column > 0) return;
    store_state(p.states, (line * p.parts + part_index) * 2, maxima[r]);
    store_state(p.states, (line * p.parts + part_index) * 2 + 1, totals[r]);
  } else {
    const int64_t at = int64_t(batch) * p.out_strides[0] + int64_t(head_of(r)) * p.out_strides[1] +
                       int64_t(query_of(r)) * p.out_strides[2] + column;
    store_real(p.out_, at, normalized(sum, totals[r]));
  }
}

// Adds up the slices, one row and block at a time, and stores.
void finish() {
  const uint width = COLUMNS * PACKET;
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    [[unroll]] for (uint block = 0; block < BLOCKS; ++block) {
      barrier();
      [[unroll]] for (uint i = 0; i < PACKET; ++i) {
        exchange[thread * PACKET + i] = sums[(r * BLOCKS + block) * PACKET + i];
      }
      barrier();
      for (uint c = thread; c < width; c += GROUP) {
        REAL sum = exchange[c];
        for (uint s = 1; s < SLICES; ++s) sum += exchange[s * width + c];
        const uint column = block * width + c;
        if (column < p.value_dim && first_row + r < row_count()) store(r, column, sum);
      }
    }
  }
}

void main() {
  locate();
  load_queries();
  [[unroll]] for (uint r = 0; r < ROWS; ++r) maxima[r] = NO_SCORE, totals[r] = REAL(0.0);
  [[unroll]] for (uint i = 0; i < ROWS * BLOCKS * PACKET; ++i) sums[i] = REAL(0.0);
  const uint end = min((part_index + 1) * p.part, visible_keys(query_of(ROWS - 1)));
  for (uint first = part_index * p.part; first < end; first += TILE) {
    const uint count = min(end - first, TILE);
    score(first, count);
    barrier();
    soften(count);
    weigh(first, count);
    barrier();
  }
  finish();
}
