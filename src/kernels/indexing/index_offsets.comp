// Adds up what the index arrays of a gather or scatter say: the offset of each slice, one array a run.
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "indexing/index.glsl"

layout(constant_id = 0) const bool FIRST = true;      // of the arrays: the offsets are not yet there
layout(constant_id = 1) const bool SKIPS = false;     // out of range: NO_PLACE, else the nearest
layout(constant_id = 2) const bool WIDE = true;

#define STRIDED_OPERANDS 2  // indices, offsets
#define STRIDED_MORE Axis axis;
#include "strided.glsl"

void main() {
  for (uint k = 0; k < STRIDED_RUN; ++k) {
    const uint64_t element = strided_index(k);
    if (element >= p.count) return;
    int64_t at[STRIDED_OPERANDS];
    strided_locate(element, at);
    int64_t index = load_long(p.axis.dtype, p.operands[0], at[0]);
    const bool exists = resolve_index(p.axis, index);
    const int64_t before = FIRST ? 0 : load_long(DTYPE_INT64, p.operands[1], at[1]);
    const bool skipped = SKIPS && (!exists || before == NO_PLACE);
    store_long(DTYPE_INT64, p.operands[1], at[1], skipped ? NO_PLACE : before + index * p.axis.stride);
  }
}
