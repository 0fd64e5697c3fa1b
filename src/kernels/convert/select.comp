#version 460
// condition ? x : y, whatever the elements are.
//
//# dense: DENSE
//# strided: STRIDED
#include "common.glsl"
#include "elements.glsl"
#define INPUTS 3
#define INPUT_SIZE(k) ((k) == 0 ? 1 : item_size(IN_DTYPE))
#include "elementwise.glsl"

uvec2 apply(uvec2 inputs[INPUTS]) { return inputs[0].x != 0u ? inputs[1] : inputs[2]; }

void main() { elementwise(); }
