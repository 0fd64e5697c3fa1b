#include "gpu/strided.h"

#include <bit>

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kNarrow = uint64_t{1} << 31;

// Whether every offset of the operand, on the way to it too, lies within 31 bits.
bool is_narrow(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  uint64_t reach = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto step = static_cast<uint64_t>(strides[i] < 0 ? -strides[i] : strides[i]);
    const auto last = static_cast<uint64_t>(shape[i] - 1);
    if (step >= kNarrow || last >= kNarrow) return false;
    reach += step * last;
    if (reach >= kNarrow) return false;
  }
  return true;
}

}  // namespace

FastDivisor fast_divisor(uint64_t size) {
  const auto shift = static_cast<uint32_t>(std::bit_width(size - 1));
  const uint64_t excess = (uint64_t{1} << shift) - size;
  return {static_cast<uint32_t>((excess << 32) / size + 1), shift};
}

StridedBlocks::StridedBlocks(const Shape& shape, std::span<const Strides> strides)
    : axes_(collapse_axes(shape, strides)) {
  const size_t axes = axes_.shape.size();
  outer_ = axes > kStridedAxes ? axes - kStridedAxes : 0;
  for (size_t i = 0; i < axes; ++i) {
    if (axes_.shape[i] == 0) blocks_ = 0;
  }
  for (size_t i = 0; i < outer_; ++i) blocks_ *= axes_.shape[i];
  for (size_t i = outer_; i < axes; ++i) elements_ *= static_cast<uint64_t>(axes_.shape[i]);
  wide_ = elements_ >= kNarrow;
  for (const Strides& operand : axes_.strides) {
    wide_ = wide_ || !is_narrow({axes_.shape.data() + outer_, axes - outer_}, {operand.data() + outer_, axes - outer_});
  }
}

int64_t StridedBlocks::offset(int64_t block, size_t operand) const {
  int64_t offset = 0;
  for (size_t i = outer_; i-- > 0;) {
    offset += block % axes_.shape[i] * axes_.strides[operand][i];
    block /= axes_.shape[i];
  }
  return offset;
}

}  // namespace plimsoll::gpu
