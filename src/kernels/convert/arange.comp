#version 460
// start + i * step, rounded once. For the float types start and step are pairs of floats that hold 48 bits each, so that
// no device needs float64 for them.
//
//# float:
//# integer: INTEGER
//# double: DOUBLE
#ifdef DOUBLE
#define ELEMENTS_FLOAT64
#endif
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(local_size_x = 256) in;

#if defined(INTEGER)
#define NUMBER int64_t
#elif defined(DOUBLE)
#define NUMBER double
#else
#include "math.glsl"
#define NUMBER vec2
#endif

PARAMETERS {
  uint first_group;
  uint count;
  uint64_t output_;
  NUMBER start;
  NUMBER step_;
} p;

#if defined(INTEGER)
uvec2 element(uint i) { return bits_of_long(DTYPE, p.start + int64_t(i) * p.step_); }
#elif defined(DOUBLE)
uvec2 element(uint i) {
  precise double value = p.start + double(i) * p.step_;
  return bits_of_double(value);
}
#else
uvec2 element(uint i) {
  // Both parts of the index are exact.
  const float high = float(i & 0xfffff000u);
  const float low = float(i & 0xfffu);
  const vec2 first = two_product(high, p.step_.x);
  const vec2 second = two_product(low, p.step_.x);
  const vec2 offset = two_sum(first.x, second.x);
  const vec2 sum = two_sum(p.start.x, offset.x);
  const float rest = sum.y + (offset.y + (first.y + second.y + (fma(high + low, p.step_.y, p.start.y))));
  const float value = sum.x + rest;
  return DTYPE == DTYPE_COMPLEX64 ? uvec2(floatBitsToUint(value), 0) : bits_of_float(DTYPE, value);
}
#endif

void main() {
  const uint64_t i = uint64_t(WORKGROUP) * 256 + gl_LocalInvocationID.x;
  if (i < p.count) store_bits(item_size(DTYPE), p.output_, int64_t(i), element(uint(i)));
}
