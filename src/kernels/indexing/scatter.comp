// Combines updates with the elements that indices name, in the order of the updates: what one thread would give, bit
// for bit, without atomics.
//
// The elements along a line (of the whole array, or of one axis) are dealt out to workgroups in blocks. Every workgroup
// looks at all indices of its line, a chunk at a time, and applies in order those updates that fall into its blocks;
// within a block each element belongs to one invocation.
//
//   single elements    an invocation holds on to the last element that it changed, so that repeats cost no memory
//   rows               runs of elements, dense in the target
//
//# float: FLOAT
//# long: LONG
//# complex: COMPLEX
//# double: DOUBLE ELEMENTS_FLOAT64
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "indexing/index.glsl"
#include "indexing/combine.glsl"

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint MODE = MODE_PUT;
layout(constant_id = 2) const bool OFFSETS = false;  // the indices are offsets, of kernels/indexing/index_offsets.comp
layout(constant_id = 3) const bool ROWS = false;
layout(constant_id = 4) const bool WIDE = true;

#define STRIDED_OPERANDS 3  // updates; indices; target without the indexed axis
#define STRIDED_MORE                                                                       \
  Axis axis;           /* size 0: no indices, the one slice is the front */                \
  uint64_t items;      /* of a line */                                                     \
  int64_t key_stride;  /* of an element's number in its line, in the target's elements */  \
  int64_t run;         /* elements of a row */                                             \
  int64_t run_stride;  /* of the updates along a row */                                    \
  uint owners;         /* workgroups of a line: a power of two */                          \
  uint keys_are_positions;  /* 1: elements are numbered along the axis, 0: in the target */
#include "strided.glsl"

#define SIZE item_size(DTYPE)
#define CHUNK (STRIDED_GROUP * STRIDED_RUN)
#define ROW_BLOCK (STRIDED_GROUP * STRIDED_RUN)

// Of the chunk: which updates are this workgroup's, the elements they go to, and what goes there: an element's bits, or
// where a row starts in the updates.
shared uint hits[CHUNK / 32];
shared int64_t keys[CHUNK];
shared uvec2 payloads[CHUNK];

// The first block of this workgroup that does not lie before the element.
int64_t next_block(int64_t block, uint owner) {
  return block + int64_t((owner - uint(block)) & (p.owners - 1u));
}

bool touches(int64_t key, uint owner) {
  if (!ROWS) return ((uint(key >> 8) ^ owner) & (p.owners - 1u)) == 0u;
  return next_block(key / ROW_BLOCK, owner) * ROW_BLOCK < key + p.run;
}

// Enters the item into the chunk's slot if it is this workgroup's.
void examine(uint64_t item, uint slot, uint owner) {
  int64_t at[STRIDED_OPERANDS];
  strided_locate(item, at);
  int64_t index = 0;
  bool exists = true;
  if (OFFSETS) {
    index = load_long(DTYPE_INT64, p.operands[1], at[1]);
    exists = index != NO_PLACE;
  } else if (p.axis.size != 0) {
    index = load_long(p.axis.dtype, p.operands[1], at[1]);
    exists = resolve_index(p.axis, index);
    if (p.keys_are_positions == 0) index *= p.axis.stride;
  }
  const int64_t key = p.keys_are_positions == 0 ? at[2] + index : index;
  if (!exists || !touches(key, owner)) return;
  keys[slot] = key;
  payloads[slot] = ROWS ? unpackUint2x32(uint64_t(at[0])) : load_bits(SIZE, p.operands[0], at[0]);
  atomicOr(hits[slot / 32], 1u << (slot % 32));
}

// The element that this invocation changed last.
int64_t held_key = -1;
uvec2 held_bits;

void release(int64_t base) {
  if (held_key >= 0) store_bits(SIZE, p.operands[2], base + held_key * p.key_stride, held_bits);
}

void apply_element(uint slot, int64_t base) {
  const int64_t key = keys[slot];
  if ((uint(key) & (STRIDED_GROUP - 1u)) != gl_LocalInvocationID.x) return;
  if (key != held_key) {
    release(base);
    held_key = key;
    held_bits = load_bits(SIZE, p.operands[2], base + key * p.key_stride);
  }
  held_bits = combine_bits(DTYPE, MODE, held_bits, payloads[slot]);
}

void apply_row(uint slot, uint owner) {
  const int64_t first = keys[slot];
  const int64_t end = first + p.run;
  const int64_t from = int64_t(packUint2x32(payloads[slot]));
  for (int64_t block = next_block(first / ROW_BLOCK, owner); block * ROW_BLOCK < end; block += p.owners) {
    uvec2 values[STRIDED_RUN];
    [[unroll]] for (uint k = 0; k < STRIDED_RUN; ++k) {
      const int64_t key = block * ROW_BLOCK + int64_t(k * STRIDED_GROUP + gl_LocalInvocationID.x);
      if (key < first || key >= end) continue;
      const uvec2 update = load_bits(SIZE, p.operands[0], from + (key - first) * p.run_stride);
      values[k] = MODE == MODE_PUT ? update
                                   : combine_bits(DTYPE, MODE, load_bits(SIZE, p.operands[2], key), update);
    }
    [[unroll]] for (uint k = 0; k < STRIDED_RUN; ++k) {
      const int64_t key = block * ROW_BLOCK + int64_t(k * STRIDED_GROUP + gl_LocalInvocationID.x);
      if (key >= first && key < end) store_bits(SIZE, p.operands[2], key, values[k]);
    }
  }
}

void apply_chunk(uint owner, int64_t base) {
  for (uint word = 0; word < CHUNK / 32; ++word) {
    for (uint left = hits[word]; left != 0; left &= left - 1u) {
      const uint slot = word * 32 + uint(findLSB(left));
      if (ROWS) {
        apply_row(slot, owner);
      } else {
        apply_element(slot, base);
      }
    }
  }
}

void main() {
  const uint owner = WORKGROUP & (p.owners - 1u);
  const uint64_t line = uint64_t(WORKGROUP / p.owners);
  int64_t at[STRIDED_OPERANDS];
  strided_locate(line * p.items, at);
  const int64_t base = p.keys_are_positions == 0 ? 0 : at[2];
  for (uint64_t first = 0; first < p.items; first += CHUNK) {
    barrier();  // the chunk before was applied
    if (gl_LocalInvocationID.x < CHUNK / 32) hits[gl_LocalInvocationID.x] = 0;
    barrier();
    for (uint k = 0; k < STRIDED_RUN; ++k) {
      const uint slot = k * STRIDED_GROUP + gl_LocalInvocationID.x;
      if (first + slot < p.items) examine(line * p.items + first + slot, slot, owner);
    }
    barrier();
    apply_chunk(owner, base);
  }
  if (!ROWS) release(base);
}
