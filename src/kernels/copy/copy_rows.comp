#version 460
// Copies runs of bytes, each along strides of its own: every copy whose source and destination both run evenly for a
// while, up to the whole array. A run is written 16 bytes at a time wherever it starts; its source is read 16 bytes at
// a time where it lies as its destination does modulo 16, else by words, shifted into place.
//
//   plain      up to 3 axes of runs
//   many       up to 8
//   started    one side's start is read from an array: dynamic slices
//   gathered   runs of the outermost axis start where an index says: gathers
//
//# plain: AXES=3
//# many: AXES=8 LARGE
//# started: AXES=8 LARGE STARTED
//# gathered: AXES=8 LARGE GATHERED
#include "common.glsl"
#include "elements.glsl"
#ifdef GATHERED
#include "indexing/index.glsl"
#endif

#define GROUP 256
#define RUN 4  // blocks of 16 bytes an invocation
#define START_AXES 16

layout(local_size_x = GROUP) in;
layout(constant_id = 0) const uint UNIT = 1;       // bytes that every address and length here is a multiple of: 1, 2 or 4
layout(constant_id = 1) const uint SPLAT_ITEM = 0;  // if not 0: a run repeats one element of that many bytes

#ifdef LARGE
LARGE_PARAMETERS {
#else
PARAMETERS {
#endif
  uint first_group;
  uint lanes;  // invocations that share a run: a power of two
  uint chunks;  // workgroups that share a run: more than 1 only if lanes == GROUP
  uint axes;
  uint64_t from, to;
  uint64_t run;   // bytes
  uint64_t runs;  // product of the sizes
  uint64_t sizes[AXES];
  int64_t from_strides[AXES], to_strides[AXES];  // bytes
#ifdef STARTED
  uint64_t start;           // integers, one for each of start_axes
  int64_t start_step;       // elements
  uint start_dtype;
  uint start_axes;
  uint start_is_target;     // 1: the destination starts there, 0: the source
  uint unused;
  int64_t start_lengths[START_AXES];  // of the sliced axes
  int64_t start_rooms[START_AXES];    // largest starts that leave room for the slice
  int64_t start_strides[START_AXES];  // bytes
#endif
#ifdef GATHERED
  uint64_t indices;   // one for each position of the outermost axis
  int64_t index_step;  // elements
  Axis index_axis;     // in bytes
  uint index_is_offset;  // 1: they are the offsets themselves, int64, in bytes
  uint unused;
#endif
#ifdef LARGE
};
PARAMETER_POINTER
#else
} p;
#endif

#ifdef GATHERED
int64_t indexed_offset(int64_t i) {
  int64_t index = load_long(p.index_axis.dtype, p.indices, i * p.index_step);
  if (p.index_is_offset != 0) return index;
  resolve_index(p.index_axis, index);
  return index * p.index_axis.stride;
}
#endif

// Adds where a run starts.
void locate(uint64_t index, inout uint64_t from, inout uint64_t to) {
  uint64_t rest = index;
  for (uint axis = p.axes; axis-- > 1;) {
    uint64_t quotient;
    if (p.runs < 0x80000000ul) {
      quotient = uint64_t(uint(rest) / uint(p.sizes[axis]));
    } else {
      quotient = rest / p.sizes[axis];
    }
    const int64_t position = int64_t(rest - quotient * p.sizes[axis]);
    from += uint64_t(position * p.from_strides[axis]);
    to += uint64_t(position * p.to_strides[axis]);
    rest = quotient;
  }
#ifdef GATHERED
  from += uint64_t(indexed_offset(int64_t(rest)));
#else
  from += uint64_t(int64_t(rest) * p.from_strides[0]);
#endif
  to += uint64_t(int64_t(rest) * p.to_strides[0]);
}

#ifdef STARTED
// Bytes from where the sliced array begins to where the slice does.
uint64_t slice_start() {
  int64_t offset = 0;
  for (uint k = 0; k < p.start_axes; ++k) {
    int64_t at = load_long(p.start_dtype, p.start, int64_t(k) * p.start_step);
    at += at < 0 ? p.start_lengths[k] : 0;
    at = at < 0 ? 0 : (at > p.start_rooms[k] ? p.start_rooms[k] : at);
    offset += at * p.start_strides[k];
  }
  return uint64_t(offset);
}
#endif

// 16 bytes from wherever they lie. Reads no word without a byte among them.
uvec4 load_block(uint64_t address) {
  const uint excess = uint(address) & 15u;
  if (excess == 0u) return Vector128(address).value;
  if (UNIT == 4 || (excess & 3u) == 0u) {
    return uvec4(Item32(address).value, Item32(address + 4).value, Item32(address + 8).value,
                 Item32(address + 12).value);
  }
  const uint64_t first = address - (excess & 3u);
  const uint right = 8u * (excess & 3u);
  const uvec4 low = uvec4(Item32(first).value, Item32(first + 4).value, Item32(first + 8).value,
                          Item32(first + 12).value);
  const uvec4 high = uvec4(low.yzw, Item32(first + 16).value);
  return (low >> right) | (high << (32u - right));
}

void copy_unit(uint64_t from, uint64_t to) { copy_element(UNIT, from, 0, to, 0); }

// The element as the words of a run that starts with it.
uvec2 load_splat(uint64_t address) {
  switch (SPLAT_ITEM) {
    case 1:
      return uvec2(uint(Item8(address).value) * 0x01010101u);
    case 2:
      return uvec2(uint(Item16(address).value) * 0x00010001u);
    case 4:
      return uvec2(Item32(address).value);
    default:
      return uvec2(Item32(address).value, Item32(address + 4).value);
  }
}

void store_unit(uint64_t to, uint position, uvec2 words) {
  const uint word = (position & 4u) == 0u ? words.x : words.y;
  switch (UNIT) {
    case 1:
      Item8(to + position).value = uint8_t(word >> (8u * (position & 3u)));
      break;
    case 2:
      Item16(to + position).value = uint16_t(word >> (8u * (position & 3u)));
      break;
    default:
      Item32(to + position).value = word;
  }
}

// What lies before the first whole block of the destination (`offset` 0) or after the last.
void copy_edge(uint64_t from, uint64_t to, uint64_t offset, uint bytes, uint lane, uvec2 splat) {
  for (uint i = lane * UNIT; i < bytes; i += p.lanes * UNIT) {
    if (SPLAT_ITEM != 0) {
      store_unit(to + offset - (offset & 7ul), i + uint(offset & 7ul), splat);
    } else {
      copy_unit(from + offset + i, to + offset + i);
    }
  }
}

void copy_run(uint64_t from, uint64_t to, uint chunk, uint lane) {
  const uint64_t room = uint64_t(uint(-uint(to)) & 15u);
  const uint head = uint(room < p.run ? room : p.run);
  const uint64_t blocks = (p.run - head) >> 4;
  const uvec2 splat = SPLAT_ITEM != 0 ? load_splat(from) : uvec2(0);
  const uvec4 pattern = (head & 4u) == 0u ? splat.xyxy : splat.yxyx;
  const uint64_t first = uint64_t(chunk) * (p.lanes * RUN) + lane;
  uvec4 values[RUN];
  [[unroll]] for (uint k = 0; k < RUN; ++k) {
    const uint64_t block = first + k * p.lanes;
    if (block < blocks) values[k] = SPLAT_ITEM != 0 ? pattern : load_block(from + head + 16 * block);
  }
  [[unroll]] for (uint k = 0; k < RUN; ++k) {
    const uint64_t block = first + k * p.lanes;
    if (block < blocks) Vector128(to + head + 16 * block).value = values[k];
  }
  const uint64_t end = head + 16 * blocks;
  if (chunk == 0) copy_edge(from, to, 0, head, lane, splat);
  if (chunk == p.chunks - 1) copy_edge(from, to, end, uint(p.run - end), lane, splat);
}

void main() {
  const uint lane = gl_LocalInvocationID.x & (p.lanes - 1u);
  const uint chunk = WORKGROUP % p.chunks;
  const uint64_t index =
      uint64_t(WORKGROUP / p.chunks) * (GROUP / p.lanes) + gl_LocalInvocationID.x / p.lanes;
  if (index >= p.runs) return;
  uint64_t from = p.from, to = p.to;
  locate(index, from, to);
#ifdef STARTED
  const uint64_t start = slice_start();
  from += p.start_is_target == 0 ? start : 0ul;
  to += p.start_is_target == 0 ? 0ul : start;
#endif
  copy_run(from, to, chunk, lane);
}
