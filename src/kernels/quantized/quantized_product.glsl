// What the kernels of quantized products share: the parameter block, x by packets, and parcels of weights.
//
//   out[m, n] = sum_k x[m, k] * w[n, k]     w [N, K]: its rows are the product's columns (TRANSPOSED)
//   out[m, n] = sum_k x[m, k] * w[k, n]     w [K, N]
//
// Include after elements.glsl, with DTYPE (of x and out) and parcel.glsl's constants in scope.
PARAMETERS {
  uint first_group;
  uint M, N, K;
  uint64_t x, w, scales, biases, out_;
  int64_t x_row, x_column;             // elements
  int64_t w_row, scale_row, bias_row;  // bytes, elements, elements
  uint group_shift;                    // 1 << group_shift parcels share a scale
} p;

const bool SERIAL = true;  // packet.glsl: x is hardly ever off its packets
#include "matmul/packet.glsl"
#include "quantized/parcel.glsl"

// The packet of x [m, k ...] of which `count` elements are there.
uvec4 fetch_x(bool whole, uint m, uint k, uint count) {
  const uint64_t row = p.x + uint64_t(int64_t(m) * p.x_row * ELEMENT_BYTES);
  if (whole) return fetch_packet(true, row + uint64_t(k) * ELEMENT_BYTES, ELEMENT_BYTES, count);
  const int64_t step_bytes = p.x_column * ELEMENT_BYTES;
  return fetch_packet(false, row + uint64_t(int64_t(k) * step_bytes), step_bytes, count);
}
