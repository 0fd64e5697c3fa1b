#version 460
// The values of quantized weights. An invocation widens one parcel; the workgroup then writes neighbours together.
#include "common.glsl"
#include "elements.glsl"
layout(constant_id = 0) const uint DTYPE = DTYPE_FLOAT32;
layout(constant_id = 1) const uint FORMAT = 4;
layout(constant_id = 2) const uint SCALE_DTYPE = DTYPE_FLOAT32;
layout(constant_id = 3) const uint W_ALIGNMENT = 4;

const uint THREADS = 128;
layout(local_size_x = 128) in;

PARAMETERS {
  uint first_group;
  uint parcels;      // of a row
  uint64_t count;    // parcels in all
  uint64_t w, scales, biases, out_;
  int64_t w_row, scale_row, bias_row;
  uint group_shift;  // 1 << group_shift parcels share a scale
} p;

#define PARCELS 1
#include "quantized/parcel.glsl"

const uint STRIDE = PARCEL + 1;  // keeps neighbouring parcels off each other's banks
shared float values[THREADS * STRIDE];

void main() {
  const uint64_t first = uint64_t(WORKGROUP) * THREADS;
  const uint64_t own = first + gl_LocalInvocationIndex;
  if (own < p.count) {
    fetch_parcel(0, weight_row(own / p.parcels), uint(own % p.parcels));
    [[unroll]] for (uint i = 0; i < PARCEL / 4; ++i) {
      const vec4 widened = widened_quad(0, i);
      [[unroll]] for (uint j = 0; j < 4; ++j) {
        values[gl_LocalInvocationIndex * STRIDE + 4 * i + j] = widened[j];
      }
    }
  }
  barrier();
  for (uint k = 0; k < PARCEL; ++k) {
    const uint at = k * THREADS + gl_LocalInvocationIndex, parcel = at / PARCEL, i = at % PARCEL;
    const uint64_t index = first + parcel;
    if (index >= p.count) return;
    const uint64_t row = index / p.parcels;
    const uint position = parcel_position(uint(index % p.parcels), i);
    store_float(DTYPE, p.out_, int64_t(row * p.parcels * PARCEL + position), values[parcel * STRIDE + i]);
  }
}
