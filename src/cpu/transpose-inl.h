// Transposing small dense blocks, 4 x 4 at a time in registers for float32.

// Highway's toggle instead of an include guard: the file is read again for every target.
#if defined(PLIMSOLL_CPU_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLIMSOLL_CPU_TRANSPOSE_INL_H_
#undef PLIMSOLL_CPU_TRANSPOSE_INL_H_
#else
#define PLIMSOLL_CPU_TRANSPOSE_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void transpose_4x4(const float* in, int64_t in_stride, float* out, int64_t out_stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Full128<float> d;
  const auto r0 = hn::LoadU(d, in), r1 = hn::LoadU(d, in + in_stride);
  const auto r2 = hn::LoadU(d, in + 2 * in_stride), r3 = hn::LoadU(d, in + 3 * in_stride);
  const auto low01 = hn::InterleaveLower(d, r0, r1), low23 = hn::InterleaveLower(d, r2, r3);
  const auto high01 = hn::InterleaveUpper(d, r0, r1), high23 = hn::InterleaveUpper(d, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, out);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, out + out_stride);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, out + 2 * out_stride);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, out + 3 * out_stride);
}
#endif

// out[j * out_stride + i] = in[i * in_stride + j] for i < rows, j < columns.
template <typename T>
void transpose(const T* in, int64_t in_stride, int64_t rows, int64_t columns, T* out, int64_t out_stride) {
  int64_t whole_rows = 0, whole_columns = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    whole_rows = rows / 4 * 4;
    whole_columns = columns / 4 * 4;
    for (int64_t j = 0; j < whole_columns; j += 4) {
      for (int64_t i = 0; i < whole_rows; i += 4) {
        transpose_4x4(in + i * in_stride + j, in_stride, out + j * out_stride + i, out_stride);
      }
    }
  }
#endif
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      out[j * out_stride + i] = in[i * in_stride + j];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#endif  // PLIMSOLL_CPU_TRANSPOSE_INL_H_
