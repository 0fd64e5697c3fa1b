#include "cpu/row_dot.h"

#include "cpu/float_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/row_dot.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "cpu/row_dot-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {

HWY_INLINE VF widen_vector(const float* at) { return hn::LoadU(DF(), at); }

HWY_INLINE VF widen_vector(const bfloat16_t* at) {
  const hn::Rebind<uint16_t, DF> d16;
  const hn::Rebind<uint32_t, DF> d32;
  const auto bits = hn::PromoteTo(d32, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(at)));
  return hn::BitCast(DF(), hn::ShiftLeft<16>(bits));
}

HWY_INLINE VF widen_vector(const float16_t* at) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::Rebind<uint16_t, DF> d16;
  const hn::Rebind<hwy::float16_t, DF> dhalf;
  return hn::PromoteTo(DF(), hn::BitCast(dhalf, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(at))));
#else  // no F16C
  HWY_ALIGN float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = at[i];
  return hn::Load(DF(), lanes);
#endif
}

template <typename T>
class DenseWeights {
 public:
  static constexpr int kUnits = 1, kGroups = 1, kBlockBytes = kUnit * sizeof(T);

  explicit DenseWeights(const DenseRows& w) : w_(w) {}

  HWY_INLINE const uint8_t* row(int64_t n) const {
    return reinterpret_cast<const uint8_t*>(static_cast<const T*>(w_.data) + n * w_.row_stride);
  }

  HWY_INLINE const uint8_t* block_at(const uint8_t* row, int64_t unit) const { return row + unit * kBlockBytes; }

  template <int kRows>
  HWY_INLINE void scales(const int64_t*, int64_t, int64_t, float*, float*) const {}

  HWY_INLINE void widen(const uint8_t* row, int64_t unit, int, const float*, const float*, Unit& w) const {
    const T* at = reinterpret_cast<const T*>(block_at(row, unit));
    PLIMSOLL_UNROLL
    for (int i = 0; i < kVectors; ++i) w.v[i] = widen_vector(at + i * kLanes);
  }

 private:
  const DenseRows& w_;
};

template <typename T>
void dot_dense_type(const DenseRows& w, const RowDot& p, int64_t begin, int64_t end) {
  const int64_t units = w.K / kUnit;
  const auto tail = [&](int64_t n, int64_t m) {
    const T* weights = static_cast<const T*>(w.data) + n * w.row_stride;
    float sum = 0.0f;
    for (int64_t k = units * kUnit; k < w.K; ++k) sum += static_cast<float>(weights[k]) * p.x[m * p.x_stride + k];
    return sum;
  };
  dot_range(DenseWeights<T>(w), units, p, begin, end, tail);
}

void dot_dense_range(const DenseRows& w, const RowDot& p, int64_t begin, int64_t end) {
  switch (w.dtype) {
    case Dtype::Val::float16:
      return dot_dense_type<float16_t>(w, p, begin, end);
    case Dtype::Val::bfloat16:
      return dot_dense_type<bfloat16_t>(w, p, begin, end);
    default:
      return dot_dense_type<float>(w, p, begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu {

HWY_EXPORT(dot_dense_range);

void dot_dense(const DenseRows& w, const RowDot& p) {
  base::parallel_for(w.N, dot_grain(w.K),
                     [&](int64_t begin, int64_t end) { HWY_DYNAMIC_DISPATCH(dot_dense_range)(w, p, begin, end); });
}

}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
