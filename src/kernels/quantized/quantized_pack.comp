#version 460
// Quantizes rows of floats in MLX's affine form: an invocation makes one group.
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;  // of values, scales and biases
layout(constant_id = 1) const uint BITS = 4;
layout(constant_id = 2) const uint GROUP = 64;

layout(local_size_x = 64) in;

PARAMETERS {
  uint first_group;
  uint groups;      // of a row
  uint64_t count;   // groups in all
  uint64_t values, packed, scales, biases;
  int64_t value_row, value_column;
} p;

const float LEVELS = BITS == 8 ? 255.0 : BITS == 6 ? 63.0 : BITS == 5 ? 31.0 : BITS == 4 ? 15.0 : BITS == 3 ? 7.0 : 3.0;

// The end of larger magnitude becomes the bias, and the scale is adjusted so that zero is hit when near.
vec2 scale_and_bias(int64_t first) {
  float low = load_float(DTYPE, p.values, first), high = low;
  for (uint i = 1; i < GROUP; ++i) {
    const float value = load_float(DTYPE, p.values, first + int64_t(i) * p.value_column);
    low = value < low ? value : low;
    high = value < high ? high : value;
  }
  const bool from_low = abs(low) > abs(high);
  const float step_size = max((high - low) / LEVELS, 1e-7);
  const float scale = from_low ? step_size : -step_size, edge = from_low ? low : high;
  const float steps = roundEven(edge / scale);
  return steps == 0.0 ? vec2(scale, 0.0) : vec2(edge / steps, edge);
}

void main() {
  const uint64_t index = uint64_t(WORKGROUP) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
  if (index >= p.count) return;
  const int64_t row = int64_t(index / p.groups), group = int64_t(index % p.groups);
  const int64_t first = row * p.value_row + group * GROUP * p.value_column;
  const vec2 scale = scale_and_bias(first);
  store_float(DTYPE, p.scales, int64_t(index), scale.x);
  store_float(DTYPE, p.biases, int64_t(index), scale.y);
  uint64_t stream = 0, word = p.packed + index * (GROUP * BITS / 8);
  uint filled = 0;
  for (uint i = 0; i < GROUP; ++i) {
    const float value = load_float(DTYPE, p.values, first + int64_t(i) * p.value_column);
    const float level = roundEven((value - scale.y) / scale.x);
    const uint q = level > 0.0 ? uint(min(level, LEVELS)) : 0;  // NaN too is 0
    stream |= uint64_t(q) << filled;
    filled += BITS;
    if (filled >= 32) {
      Item32(word).value = uint(stream);
      word += 4;
      stream >>= 32;
      filled -= 32;
    }
  }
}
