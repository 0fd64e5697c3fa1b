#include "cpu/quantized/block.h"

#include <algorithm>

#include "base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quantized/block.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "cpu/quantized/widen-inl.h"
#include "cpu/row_dot-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu::quantized {
namespace HWY_NAMESPACE {

template <class Format>
class BlockWeights {
 public:
  static constexpr int kUnits = Format::kUnits, kGroups = Format::kGroups, kBlockBytes = Format::kBytes;

  explicit BlockWeights(const BlockMatrix& w) : w_(w) {}

  HWY_INLINE const uint8_t* row(int64_t n) const { return w_.data + n * w_.row_bytes; }
  HWY_INLINE const uint8_t* block_at(const uint8_t* row, int64_t block) const { return row + block * kBlockBytes; }

  template <int kRows>
  HWY_INLINE void scales(const int64_t* rows, int64_t first, int64_t count, float* d, float* m) const {
    const bool whole_rows = count * Format::kBytes == w_.row_bytes && rows[kRows - 1] - rows[0] == kRows - 1;
    if (whole_rows) return Format::scales(row(rows[0]), count * kRows, d, m);  // one run of blocks
    for (int r = 0; r < kRows; ++r) {
      const int64_t at = r * count * kUnits * kGroups;
      Format::scales(row(rows[r]) + first * Format::kBytes, count, d + at, m + at);
    }
  }

  HWY_INLINE void widen(const uint8_t* row, int64_t block, int unit, const float* d, const float* m, Unit& w) const {
    Format::widen(block_at(row, block), unit, d, m, w);
  }

 private:
  const BlockMatrix& w_;
};

void dot_block_range(const BlockMatrix& w, const RowDot& p, int64_t begin, int64_t end) {
  with_format(w.format, [&](auto format) HWY_ATTR {
    const BlockWeights<decltype(format)> weights(w);
    cpu::HWY_NAMESPACE::dot_range(weights, w.values / kUnit, p, begin, end, cpu::HWY_NAMESPACE::NoTail());
  });
}

template <class Format>
void widen_row(const uint8_t* row, int64_t blocks, float* out) {
  constexpr int kGroups = Format::kUnits * Format::kGroups;
  constexpr int64_t kBatch = cpu::HWY_NAMESPACE::kChunkUnits / Format::kUnits;
  HWY_ALIGN float d[kBatch * kGroups + kLanes], m[kBatch * kGroups + kLanes];
  for (int64_t first = 0; first < blocks; first += kBatch) {
    const int64_t count = std::min(kBatch, blocks - first);
    Format::scales(row + first * Format::kBytes, count, d, m);
    for (int64_t b = 0; b < count; ++b) {
      for (int u = 0; u < Format::kUnits; ++u, out += kUnit) {
        const int64_t at = b * kGroups + u * Format::kGroups;
        Unit w;
        Format::widen(row + (first + b) * Format::kBytes, u, d + at, m + at, w);
        PLIMSOLL_UNROLL
        for (int i = 0; i < kVectors; ++i) hn::StoreU(w.v[i], DF(), out + i * kLanes);
      }
    }
  }
}

void widen_block_range(const BlockMatrix& w, int64_t first, int64_t count, float* out, int64_t stride) {
  with_format(w.format, [&](auto format) HWY_ATTR {
    const int64_t blocks = w.values / (kUnit * decltype(format)::kUnits);
    for (int64_t r = 0; r < count; ++r) {
      widen_row<decltype(format)>(w.data + (first + r) * w.row_bytes, blocks, out + r * stride);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu::quantized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plimsoll::cpu::quantized {

HWY_EXPORT(dot_block_range);
HWY_EXPORT(widen_block_range);

void dot_blocks(const BlockMatrix& w, const RowDot& p) {
  base::parallel_for(w.rows, dot_grain(w.values),
                     [&](int64_t begin, int64_t end) { HWY_DYNAMIC_DISPATCH(dot_block_range)(w, p, begin, end); });
}

void widen_blocks(const BlockMatrix& w, int64_t first, int64_t count, float* out, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(widen_block_range)(w, first, count, out, stride);
}

}  // namespace plimsoll::cpu::quantized
#endif  // HWY_ONCE
