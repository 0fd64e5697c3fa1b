#include "gpu/row_blocks.h"

#include <algorithm>

namespace plimsoll::gpu {
namespace {

constexpr int64_t kMostRows = int64_t{1} << 31;

}  // namespace

RowBlocks::RowBlocks(const Shape& shape, std::span<const Strides> strides) : axes_(collapse_axes(shape, strides)) {
  const size_t axes = axes_.shape.size();
  outer_ = axes > kRowAxes ? axes - kRowAxes : 0;
  for (size_t i = 0; i < outer_; ++i) blocks_ *= axes_.shape[i];
  int64_t inner = 1;
  for (size_t i = outer_ + 1; i < axes; ++i) inner *= axes_.shape[i];
  const int64_t outermost = axes_.shape[outer_];
  if (outermost == 0 || inner == 0) {
    blocks_ = 0;
    return;
  }
  piece_ = std::min(outermost, std::max<int64_t>(kMostRows / inner, 1));
  pieces_ = (outermost + piece_ - 1) / piece_;
  blocks_ *= pieces_;
}

uint32_t RowBlocks::rows(int64_t block) const {
  int64_t rows = std::min(piece_, axes_.shape[outer_] - block % pieces_ * piece_);
  for (size_t i = outer_ + 1; i < axes_.shape.size(); ++i) rows *= axes_.shape[i];
  return static_cast<uint32_t>(rows);
}

int64_t RowBlocks::offset(int64_t block, size_t operand) const {
  int64_t offset = block % pieces_ * piece_ * axes_.strides[operand][outer_];
  block /= pieces_;
  for (size_t i = outer_; i-- > 0;) {
    offset += block % axes_.shape[i] * axes_.strides[operand][i];
    block /= axes_.shape[i];
  }
  return offset;
}

bool RowBlocks::aligned(size_t operand, int64_t elements) const {
  for (size_t i = 0; i < axes_.shape.size(); ++i) {
    if (axes_.shape[i] > 1 && axes_.strides[operand][i] % elements != 0) return false;
  }
  return true;
}

uint64_t RowBlocks::inner_size(size_t i) const {
  return outer_ + i < axes_.shape.size() ? static_cast<uint64_t>(axes_.shape[outer_ + i]) : 1;
}

int64_t RowBlocks::inner_stride(size_t operand, size_t i) const {
  return outer_ + i < axes_.shape.size() ? axes_.strides[operand][outer_ + i] : 0;
}

}  // namespace plimsoll::gpu
