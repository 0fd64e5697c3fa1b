// Merges pairs of sorted runs of each row. A workgroup makes ITEMS neighbouring items of the result: where in both runs
// they begin and end is found by bisection (Green, McColl and Bader, 2012), for the workgroup in memory, for each
// invocation in shared memory.
//# short: SORT_SHORT
//# long: SORT_LONG
#version 460
#include "common.glsl"

layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const bool INDICES = false;
layout(constant_id = 2) const bool LAST = true;

#include "sort/sort.glsl"

#define SHARE (ITEMS / GROUP)  // items of an invocation

shared uint splits[2];

// How many of the first `count` items of two merged runs in memory come from the first of them.
uint split_in_memory(uint64_t a, uint a_count, uint64_t b, uint b_count, uint count) {
  uint low = count > b_count ? count - b_count : 0;
  uint high = min(count, a_count);
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (is_before(load_item(a, middle), load_item(b, count - 1 - middle))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The same of runs in shared memory, one behind the other.
uint split_in_items(uint a_count, uint b_count, uint count) {
  uint low = count > b_count ? count - b_count : 0;
  uint high = min(count, a_count);
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (is_before(items[middle], items[a_count + count - 1 - middle])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// This invocation's share of merging a_count and b_count items in shared memory.
void merge_share(uint a_count, uint b_count) {
  const uint first = min(THREAD * SHARE, a_count + b_count);
  const uint count = min(SHARE, a_count + b_count - first);
  uint a = split_in_items(a_count, b_count, first);
  uint b = a_count + first - a;
  Item merged[SHARE];
  [[unroll]] for (uint k = 0; k < SHARE; ++k) {
    if (k >= count) break;
    const bool from_a = b >= a_count + b_count || (a < a_count && is_before(items[a], items[b]));
    merged[k] = items[from_a ? a : b];
    if (from_a) {
      ++a;
    } else {
      ++b;
    }
  }
  barrier();
  [[unroll]] for (uint k = 0; k < SHARE; ++k) {
    if (k < count) items[first + k] = merged[k];
  }
  barrier();
}

void main() {
  const uint tiles = (p.width + ITEMS - 1) / ITEMS;
  const uint row = WORKGROUP / tiles;
  const uint begin = WORKGROUP % tiles * ITEMS;
  const uint count = min(ITEMS, p.width - begin);
  // The pair of runs that the tile lies in.
  const uint a_begin = uint(uint64_t(begin) / (2 * uint64_t(p.run)) * (2 * uint64_t(p.run)));
  const uint a_count = min(p.run, p.width - a_begin);
  const uint b_count = min(p.run, p.width - a_begin - a_count);
  const uint64_t a = items_of(p.source, row) + uint64_t(a_begin) * ITEM_BYTES;
  const uint64_t b = a + uint64_t(a_count) * ITEM_BYTES;
  const uint from = begin - a_begin;
  if (THREAD % 128 == 0) {
    splits[THREAD / 128] = split_in_memory(a, a_count, b, b_count, THREAD == 0 ? from : from + count);
  }
  barrier();
  const uint a_first = splits[0];
  const uint a_share = splits[1] - a_first;
  const uint b_first = from - a_first;
  for (uint slot = THREAD; slot < count; slot += GROUP) {
    items[slot] = slot < a_share ? load_item(a, a_first + slot) : load_item(b, b_first + slot - a_share);
  }
  barrier();
  merge_share(a_share, count - a_share);
  uint64_t in_row, out_row;
  locate(row, in_row, out_row);
  for (uint slot = THREAD; slot < count; slot += GROUP) put(row, in_row, out_row, begin + slot, items[slot]);
}
