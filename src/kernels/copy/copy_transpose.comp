// Copies between layouts that are dense along different axes, in square tiles that turn round in shared memory: both
// sides are read and written in rows. Elements of 1 and 2 bytes move as words of 4 and 2.
//
//   narrow    elements of 1, 2 and 4 bytes
//   wide      of 8
//
//# narrow: WORD=uint WORDS=4224
//# wide: WORD=uvec2 WORDS=1056 WIDE
#version 460
#include "common.glsl"
#include "elements.glsl"

#define GROUP 256
layout(local_size_x = GROUP) in;
layout(constant_id = 0) const uint SIZE = 4;  // of an element, in bytes

const uint PACK = SIZE == 1 ? 4 : (SIZE == 2 ? 2 : 1);  // elements in a word
const uint SIDE = SIZE == 4 ? 64 : 32;                  // of a tile, in words
const uint TILE = SIDE * PACK;                          // of a tile, in elements

PARAMETERS {
  uint first_group;
  uint row_tiles, column_tiles;
  uint aligned;  // 1: every word lies at a multiple of 4
  uint64_t from, to;
  uint64_t rows, columns;   // along a row of the target, elements are dense there; along a column, in the source
  int64_t from_column;      // bytes from one column to the next in the source
  int64_t to_row;           // bytes from one row to the next in the target
  uint64_t inner_size;      // of the inner one of two batch axes
  int64_t from_strides[2], to_strides[2];  // of the batch axes, in bytes
} p;

// The words of one row in each of PACK planes; a row of words is one longer than the tile, so that columns fall into
// different banks.
shared WORD tile[WORDS];
uint tile_index(uint plane, uint row_word, uint column_word) {
  return (plane * SIDE + row_word) * (SIDE + 1) + column_word;
}

#ifdef WIDE
WORD load_word(uint64_t address, uint64_t count) { return load_bits(8, address, 0); }
void store_word(uint64_t address, uint64_t count, WORD word) { store_bits(8, address, 0, word); }
WORD turn(WORD words[PACK], uint plane) { return words[0]; }
#else
// `count` elements, at most PACK, in the low bits.
uint load_word(uint64_t address, uint64_t count) {
  if (PACK == 1 || (p.aligned != 0 && count >= PACK)) return Item32(address).value;
  uint word = 0;
  for (uint k = 0; k < PACK && k < count; ++k) word |= load_bits(SIZE, address, int64_t(k)).x << (8 * SIZE * k);
  return word;
}

void store_word(uint64_t address, uint64_t count, uint word) {
  if (PACK == 1 || (p.aligned != 0 && count >= PACK)) {
    Item32(address).value = word;
    return;
  }
  for (uint k = 0; k < PACK && k < count; ++k) {
    store_bits(SIZE, address, int64_t(k), uvec2(bitfieldExtract(word, int(8 * SIZE * k), int(8 * SIZE)), 0));
  }
}

// The plane-th elements of PACK words.
uint turn(uint words[PACK], uint plane) {
  if (PACK == 1) return words[0];
  uint turned = 0;
  for (uint k = 0; k < PACK; ++k) {
    turned |= bitfieldExtract(words[k], int(8 * SIZE * plane), int(8 * SIZE)) << (8 * SIZE * k);
  }
  return turned;
}
#endif

void load_tile(uint64_t from, uint64_t row, uint64_t column) {
  const uint row_word = gl_LocalInvocationID.x % SIDE;
  const uint64_t first_row = row + row_word * PACK;
  for (uint column_word = gl_LocalInvocationID.x / SIDE; column_word < SIDE; column_word += GROUP / SIDE) {
    WORD words[PACK];
    for (uint k = 0; k < PACK; ++k) {
      const uint64_t at = column + column_word * PACK + k;
      words[k] = WORD(0);
      if (first_row < p.rows && at < p.columns) {
        words[k] = load_word(from + uint64_t(int64_t(at) * p.from_column) + first_row * SIZE, p.rows - first_row);
      }
    }
    for (uint plane = 0; plane < PACK; ++plane) tile[tile_index(plane, row_word, column_word)] = turn(words, plane);
  }
}

void store_tile(uint64_t to, uint64_t row, uint64_t column) {
  const uint column_word = gl_LocalInvocationID.x % SIDE;
  const uint64_t first_column = column + column_word * PACK;
  if (first_column >= p.columns) return;
  for (uint row_word = gl_LocalInvocationID.x / SIDE; row_word < SIDE; row_word += GROUP / SIDE) {
    for (uint plane = 0; plane < PACK; ++plane) {
      const uint64_t at = row + row_word * PACK + plane;
      if (at >= p.rows) return;
      store_word(to + uint64_t(int64_t(at) * p.to_row) + first_column * SIZE, p.columns - first_column,
                 tile[tile_index(plane, row_word, column_word)]);
    }
  }
}

void main() {
  const uint column_tile = WORKGROUP % p.column_tiles;
  const uint row_tile = WORKGROUP / p.column_tiles % p.row_tiles;
  const uint64_t batch = WORKGROUP / p.column_tiles / p.row_tiles;
  const int64_t outer = int64_t(batch / p.inner_size);
  const int64_t inner = int64_t(batch % p.inner_size);
  const uint64_t row = uint64_t(row_tile) * TILE;
  const uint64_t column = uint64_t(column_tile) * TILE;
  load_tile(p.from + uint64_t(outer * p.from_strides[0] + inner * p.from_strides[1]), row, column);
  barrier();
  store_tile(p.to + uint64_t(outer * p.to_strides[0] + inner * p.to_strides[1]), row, column);
}
