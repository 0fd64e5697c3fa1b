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

#include "matmul/packet.glsl"
#include "quantized/parcel.glsl"

// The packet of x [m, k ...] of which `count` elements are there.
uvec4 fetch_x(bool whole, uint m, uint k, uint count) {
  const int64_t offset = int64_t(m) * p.x_row + int64_t(k) * p.x_column;
  return fetch_packet(whole, p.x + uint64_t(offset * ELEMENT_BYTES), p.x_column * ELEMENT_BYTES, count);
}
