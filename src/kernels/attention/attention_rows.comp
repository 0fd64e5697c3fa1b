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
const uint SLOTS = GROUP / LANES;
const uint SLICES = GROUP / COLUMNS;

layout(local_size_x = GROUP) in;

shared REAL weights[ROWS * TILE];
shared REAL maxima[ROWS];
shared REAL totals[ROWS];
shared REAL keep[ROWS];  // what becomes of earlier sums at a tile: e^(old maximum - new)
shared REAL exchange[GROUP * PACKET];

uint thread;  // subgroups hold neighbours, whatever the device's order of invocations
uint batch, kv_head, part_index;
uint first_row;
uint64_t first_key_at, first_value_at;  // of the head's first key and value
int64_t key_bytes, value_bytes;         // from one to the next
int64_t key_step, value_step;           // from one element to the next

REAL queries[ROWS * PIECES * PACKET];  // scaled
REAL sums[ROWS * BLOCKS * PACKET];
FETCHED packets[UNROLL];
REAL products[ROWS * UNROLL];

uint row_count() { return sizes.queries * sizes.group; }
// The last workgroup of a list may have rows too many: they repeat the last one.
uint row_at(uint r) { return min(first_row + r, row_count() - 1); }
uint query_of(uint r) { return row_at(r) / sizes.group; }
uint head_of(uint r) { return kv_head * sizes.group + row_at(r) % sizes.group; }

// Workgroups are numbered [batch][part][list of rows][key/value head]: in a cache the heads lie side by side.
void locate() {
  thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint kv_heads = sizes.heads / sizes.group, lists = (row_count() + ROWS - 1) / ROWS;
  uint index = WORKGROUP;
  kv_head = index % kv_heads, index /= kv_heads;
  first_row = index % lists * ROWS, index /= lists;
  part_index = index % p.parts;
  batch = index / p.parts;
  first_key_at =
      element_address(p.k, int64_t(batch) * p.k_strides[0] + int64_t(kv_head) * p.k_strides[1], ELEMENT_BYTES);
  first_value_at =
      element_address(p.v, int64_t(batch) * p.v_strides[0] + int64_t(kv_head) * p.v_strides[1], ELEMENT_BYTES);
  key_bytes = p.k_strides[2] * ELEMENT_BYTES, key_step = p.k_strides[3] * ELEMENT_BYTES;
  value_bytes = p.v_strides[2] * ELEMENT_BYTES, value_step = p.v_strides[3] * ELEMENT_BYTES;
}

void load_queries() {
  [[unroll]] for (uint r = 0; r < ROWS; ++r) {
    const int64_t start = int64_t(batch) * p.q_strides[0] + int64_t(head_of(r)) * p.q_strides[1] +
                          int64_t(query_of(r)) * p.q_strides[2];
    [[unroll]] for (uint piece = 0; piece < PIECES; ++piece) {
      const uint column = (piece * LANES + thread % LANES) * PACKET;
      const FETCHED packet =
          fetch_packet(WHOLE, element_address(p.q, start + int64_t(column) * p.q_strides[3], ELEMENT_BYTES),
                       p.q_strides[3] * ELEMENT_BYTES, column < sizes.dim ? sizes.dim - column : 0);
      [[unroll]] for (uint i = 0; i < PACKET; ++i) {
        queries[(r * PIECES + piece) * PACKET + i] = element(packet, i) * REAL(sizes.scale);
      }
    }
  }
}

// The packet from `column` on of a key or value; zeros where it is outside.
FETCHED fetch_key(uint key, bool inside, uint column) {
  const uint64_t at = first_key_at + uint64_t(int64_t(key) * key_bytes + int64_t(column) * key_step);
  return fetch_packet(WHOLE, at, key_step, inside && column < sizes.dim ? sizes.dim - column : 0);
}
FETCHED fetch_value(uint key, bool inside, uint column) {
  const uint64_t at = first_value_at + uint64_t(int64_t(key) * value_bytes + int64_t(column) * value_step);
  return fetch_packet(WHOLE, at, value_step, inside && column < sizes.value_dim ? sizes.value_dim - column : 0);
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

// The products of keys [first, first + count) go to `weights`.
void multiply_keys(uint first, uint count) {
  const uint lane = thread % LANES;
  for (uint start = 0; start < count; start += SLOTS * UNROLL) {
    const uint base = start + thread / LANES;
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
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
      const uint j = base + u * SLOTS;
      [[unroll]] for (uint r = 0; r < ROWS; ++r) {
        if (lane == r % LANES && j < count) weights[r * TILE + j] = products[u * ROWS + r];
      }
    }
  }
}

// The score of a row's product with key first + j.
REAL score_of(uint r, uint first, uint j) {
  const uint query = query_of(r), key = first + j;
  return key < visible_keys(query) ? masked_score(weights[r * TILE + j], batch, head_of(r), query, key) : NO_SCORE;
}

// Products become weights, and the totals grow by them. A subgroup takes a row.
void soften(uint first, uint count) {
  for (uint r = gl_SubgroupID; r < ROWS; r += gl_NumSubgroups) {
    REAL top = NO_SCORE;
    for (uint j = gl_SubgroupInvocationID; j < count; j += gl_SubgroupSize) {
      const REAL score = score_of(r, first, j);
      weights[r * TILE + j] = score;
      top = max(top, score);
    }
    top = max(maxima[r], subgroupMax(top));
    REAL total = REAL(0.0);
    for (uint j = gl_SubgroupInvocationID; j < count; j += gl_SubgroupSize) {
      const REAL weight = weight_of(weights[r * TILE + j], top);
      weights[r * TILE + j] = weight;
      total += weight;
    }
    total = subgroupAdd(total);
    if (gl_SubgroupInvocationID == 0) {
      keep[r] = weight_of(maxima[r], top);
      totals[r] = totals[r] * keep[r] + total;
      maxima[r] = top;
    }
  }
}

// Adds the weighted values of keys [first, first + count) to the slice's sums.
void multiply_values(uint first, uint count) {
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
    const int64_t line = (int64_t(batch) * sizes.heads + head_of(r)) * sizes.queries + query_of(r);
    store_state(p.sums, (line * p.parts + part_index) * sizes.value_dim + column, sum);
    if (column == 0) {
      store_state(p.states, (line * p.parts + part_index) * 2, maxima[r]);
      store_state(p.states, (line * p.parts + part_index) * 2 + 1, totals[r]);
    }
  } else {
    const int64_t at = int64_t(batch) * p.out_strides[0] + int64_t(head_of(r)) * p.out_strides[1] +
                       int64_t(query_of(r)) * p.out_strides[2] + column;
    store_real(p.out_, at, normalized(sum, totals[r]));
  }
}

// Adds up the slices, one row and block at a time, and stores.
void finish() {
  const uint width = COLUMNS * PACKET;
  for (uint item = 0; item < ROWS * BLOCKS; ++item) {
    barrier();
    [[unroll]] for (uint i = 0; i < ROWS * BLOCKS * PACKET; ++i) {
      if (i / PACKET == item) exchange[thread * PACKET + i % PACKET] = sums[i];
    }
    barrier();
    const uint r = item / BLOCKS;
    for (uint c = thread; c < width; c += GROUP) {
      REAL sum = exchange[c];
      for (uint s = 1; s < SLICES; ++s) sum += exchange[s * width + c];
      const uint column = item % BLOCKS * width + c;
      if (column < sizes.value_dim && first_row + r < row_count()) store(r, column, sum);
    }
  }
}

void main() {
  read_parameters();
  locate();
  load_queries();
  [[unroll]] for (uint i = 0; i < ROWS * BLOCKS * PACKET; ++i) sums[i] = REAL(0.0);
  for (uint r = thread; r < ROWS; r += GROUP) maxima[r] = NO_SCORE, totals[r] = REAL(0.0);
  const uint end = min((part_index + 1) * p.part, visible_keys(query_of(ROWS - 1)));
  for (uint first = part_index * p.part; first < end; first += TILE) {
    const uint count = min(end - first, TILE);
    multiply_keys(first, count);
    barrier();
    soften(first, count);
    barrier();
    multiply_values(first, count);
    barrier();
  }
  finish();
}
