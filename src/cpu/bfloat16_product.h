// bfloat16 products by oneDNN, for processors with bfloat16 tiles or dot products; primitives are kept by shape.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

// y[m, n] = sum_k x[m, k] * w[n, k], accumulated in float32. x and w bfloat16, rows contiguous in k.
struct Bfloat16Product {
  int64_t M, N, K;
  int64_t x_stride;
  int64_t w_stride;
  int64_t y_stride;
  Dtype y_dtype;  // float32 or bfloat16

  bool operator==(const Bfloat16Product&) const = default;
};

// Whether such products are available and faster than float32 ones here.
bool prefers_bfloat16_products();

// Scratch of a product of this shape. Makes its primitive when it is new (0.2 to 0.7 ms), so that running it does not.
size_t bfloat16_scratch_bytes(const Bfloat16Product& p);

// Runs on the whole team; not to be called inside a parallel region.
void multiply_bfloat16(const Bfloat16Product& p, const void* x, const void* w, void* y, void* scratch);

}  // namespace plimsoll::cpu
