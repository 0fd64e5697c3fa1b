// Matrix products on raw pointers. Nothing here allocates: scratch is the caller's, as large as *_scratch_bytes says.
//
// The blocked product has two sides. The *row* side is read one scalar at a time and broadcast; a few of its rows are
// widened into a small panel just before use, so that it may be of any type, quantized weights included. The *lane*
// side is packed once into tiles [K][lanes] that fill vector registers. Either matrix can take either side. Every
// output is one running sum over k in float32 (float64 for float64), so results depend neither on blocking nor on the
// thread count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

// A strided matrix; strides in elements, possibly 0 or negative.
struct MatrixView {
  const void* data = nullptr;
  Dtype dtype = float32;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

// out[m, n] = alpha * sum_k a[m, k] * b[k, n] + beta * addend[m, n]. The sum is rounded to out's dtype once, at the
// end. out is row-major with row stride `out_stride` and must not overlap the inputs, except that `addend` may be out
// itself. K = 0 gives beta * addend. The addend is not read when beta is 0, and must be there when it is not.
struct Gemm {
  int64_t M = 0, N = 0, K = 0;
  MatrixView a = {};  // [M, K]
  MatrixView b = {};  // [K, N]
  void* out = nullptr;
  Dtype out_dtype = float32;
  int64_t out_stride = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  MatrixView addend = {};  // [M, N]; data null when there is none
};

// Dtypes: a, b, addend and out any of float32, float16, bfloat16; or all float64; or all the same integer type, bool_
// or complex64. Integers wrap around; alpha and beta of integer products are applied in float64 and truncated.
size_t gemm_scratch_bytes(const Gemm& g);
void gemm(const Gemm& g, void* scratch);

// Whether gemm() needs the whole team, so that it must not run inside a parallel region.
bool gemm_takes_team(const Gemm& g);

}  // namespace plimsoll::cpu
