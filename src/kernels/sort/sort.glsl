// What the steps of a sort share. Items are keys (order_key.glsl) together with positions, which makes all of them
// distinct: any algorithm is then stable.
//
// Include after common.glsl, with the constants DTYPE, INDICES and LAST.
#include "elements.glsl"
#include "math/bits.glsl"
#include "order_key.glsl"

#define ROW_OPERANDS 2
#include "rows.glsl"

#define GROUP 256
layout(local_size_x = GROUP) in;
#define THREAD gl_LocalInvocationID.x

PARAMETERS {
  uint first_group;
  uint rows;
  uint width;  // elements of a row
  uint run;    // items of the sorted runs that a merge finds
  uint64_t in_;
  uint64_t out_;
  uint64_t source;  // items [rows, width], of merges
  uint64_t target;  // items [rows, width], of all but the last step
  int64_t in_step;  // elements
  int64_t out_step;
  RowAxes axes;     // of in and out
} p;

// ITEMS: of a workgroup.
#ifdef SORT_LONG

struct Item {
  uint64_t key;
  uint index;
};
#define ITEMS 1024
#define ITEM_BYTES 16
bool is_before(Item a, Item b) { return a.key < b.key || (a.key == b.key && a.index < b.index); }
uint index_of(Item item) { return item.index; }
Item item_of(uint64_t row, uint i) { return Item(long_key(DTYPE, row, int64_t(i) * p.in_step), i); }
Item last_item() { return Item(~uint64_t(0), 0xffffffffu); }
Item load_item(uint64_t items, uint i) {
  const uvec4 words = Vector128(items + uint64_t(i) * ITEM_BYTES).value;
  return Item(packUint2x32(words.xy), words.z);
}
void store_item(uint64_t items, uint i, Item item) {
  Vector128(items + uint64_t(i) * ITEM_BYTES).value = uvec4(unpackUint2x32(item.key), item.index, 0u);
}

#else

// A 32-bit key above a position.
#define Item uint64_t
#define ITEMS 2048
#define ITEM_BYTES 8
bool is_before(Item a, Item b) { return a < b; }
uint index_of(Item item) { return uint(item); }
Item item_of(uint64_t row, uint i) { return packUint2x32(uvec2(i, short_key(DTYPE, row, int64_t(i) * p.in_step))); }
Item last_item() { return ~uint64_t(0); }
Item load_item(uint64_t items, uint i) { return Item64(items + uint64_t(i) * ITEM_BYTES).value; }
void store_item(uint64_t items, uint i, Item item) { Item64(items + uint64_t(i) * ITEM_BYTES).value = item; }

#endif

shared Item items[ITEMS];

uint64_t items_of(uint64_t base, uint row) { return base + uint64_t(row) * p.width * ITEM_BYTES; }

// Puts an item in its place i of the row: for the next step, or as the result.
void put(uint row, uint64_t in_row, uint64_t out_row, uint i, Item item) {
  if (!LAST) {
    store_item(items_of(p.target, row), i, item);
  } else if (INDICES) {
    Item32(element_address(out_row, int64_t(i) * p.out_step, 4)).value = index_of(item);
  } else {
    copy_element(item_size(DTYPE), in_row, int64_t(index_of(item)) * p.in_step, out_row, int64_t(i) * p.out_step);
  }
}

void locate(uint row, out uint64_t in_row, out uint64_t out_row) {
  int64_t at[2];
  locate_row(p.axes, row, at);
  in_row = element_address(p.in_, at[0], item_size(DTYPE));
  out_row = element_address(p.out_, at[1], INDICES ? 4 : item_size(DTYPE));
}
