// Sorts blocks of rows, by a bitonic network in shared memory (Batcher, 1968). Short rows share a workgroup.
//# short: SORT_SHORT
//# long: SORT_LONG
#version 460
#include "common.glsl"

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const bool INDICES = false;  // positions are wanted, not elements
layout(constant_id = 2) const bool LAST = true;      // rows are no longer than a block
layout(constant_id = 3) const uint BLOCK = 1024;     // items, a power of two from 2 on

#include "sort/sort.glsl"

void exchange(uint low, uint high) {
  const Item a = items[low];
  const Item b = items[high];
  if (is_before(b, a)) {
    items[low] = b;
    items[high] = a;
  }
}

// Halves of `size` items are in order; the first step meets the second half from its end.
void merge(uint size) {
  for (uint distance = size / 2; distance > 0; distance /= 2) {
    const bool first = distance == size / 2;
    barrier();
    for (uint pair = THREAD; pair < ITEMS / 2; pair += GROUP) {
      const uint low = pair / distance * (2 * distance) + pair % distance;
      exchange(low, first ? low ^ (size - 1) : low + distance);
    }
  }
}

void main() {
  const uint blocks = (p.width + BLOCK - 1) / BLOCK;
  const uint64_t first = uint64_t(WORKGROUP) * (ITEMS / BLOCK);
  for (uint slot = THREAD; slot < ITEMS; slot += GROUP) {
    const uint64_t block = first + slot / BLOCK;
    const uint row = uint(row_quotient(block, blocks));
    const uint i = uint(block - uint64_t(row) * blocks) * BLOCK + slot % BLOCK;
    items[slot] = last_item();
    if (row >= p.rows || i >= p.width) continue;
    uint64_t in_row, out_row;
    locate(row, in_row, out_row);
    items[slot] = item_of(in_row, i);
  }
  for (uint size = 2; size <= BLOCK; size *= 2) merge(size);
  barrier();
  for (uint slot = THREAD; slot < ITEMS; slot += GROUP) {
    const uint64_t block = first + slot / BLOCK;
    const uint row = uint(row_quotient(block, blocks));
    const uint i = uint(block - uint64_t(row) * blocks) * BLOCK + slot % BLOCK;
    if (row >= p.rows || i >= p.width) continue;
    uint64_t in_row, out_row;
    locate(row, in_row, out_row);
    put(row, in_row, out_row, i, items[slot]);
  }
}
