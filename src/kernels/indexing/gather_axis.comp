// Takes elements along an axis, each where an index of its own says.
#version 460
#include "common.glsl"
#include "elements.glsl"
#include "indexing/index.glsl"

layout(constant_id = 0) const uint SIZE = 4;  // of an element, in bytes
layout(constant_id = 1) const bool WIDE = true;

#define STRIDED_OPERANDS 3  // source, as if it had one element along the axis; indices; target
#define STRIDED_MORE Axis axis;
#include "strided.glsl"

void main() {
  for (uint k = 0; k < STRIDED_RUN; ++k) {
    const uint64_t element = strided_index(k);
    if (element >= p.count) return;
    int64_t at[STRIDED_OPERANDS];
    strided_locate(element, at);
    int64_t index = load_long(p.axis.dtype, p.operands[1], at[1]);
    resolve_index(p.axis, index);
    copy_element(SIZE, p.operands[0], at[0] + index * p.axis.stride, p.operands[2], at[2]);
  }
}
