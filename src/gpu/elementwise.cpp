#include "gpu/elementwise.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/primitive.h"

namespace plimsoll::gpu {
namespace {

using Mode = DenseLayout::Mode;

// How an operand of one axis or two, the inner one `width` long, lies.
std::optional<Mode> mode_of(const Strides& strides, int64_t width) {
  const bool one_axis = strides.size() == 1;
  const int64_t outer = one_axis ? strides[0] * width : strides[0];
  const int64_t inner = strides.back();
  if (inner == 1 && outer == width) return DenseLayout::kEach;
  if (inner == 0 && outer == 0) return DenseLayout::kScalar;
  if (inner == 1 && outer == 0) return DenseLayout::kRow;
  if (inner == 0 && outer == 1) return DenseLayout::kColumn;
  return std::nullopt;
}

bool speaks_of_rows(const DenseLayout& layout) {
  return std::any_of(layout.modes.begin(), layout.modes.end(),
                     [](Mode mode) { return mode == DenseLayout::kRow || mode == DenseLayout::kColumn; });
}

// Whether every operand that is read or written in vectors of `count` elements lies at a multiple of them.
bool is_aligned(std::span<const Tensor> operands, const DenseLayout& layout, uint32_t count) {
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool output = k + 1 == operands.size();
    const Mode mode = output ? DenseLayout::kEach : layout.modes[k];
    if (mode == DenseLayout::kScalar || mode == DenseLayout::kColumn) continue;
    const uint64_t bytes = std::min<uint64_t>(uint64_t{count} * operands[k].dtype.size(), 16);
    if (address_of(operands[k]) % bytes != 0) return false;
  }
  return true;
}

// 16 bytes of the widest element, 8 or 4 elements.
uint32_t vector_of(std::span<const Tensor> operands, const DenseLayout& layout) {
  uint32_t widest = 1;
  for (const Tensor& operand : operands) widest = std::max<uint32_t>(widest, operand.dtype.size());
  const bool rows = speaks_of_rows(layout);
  for (const uint32_t count : {8u, 4u}) {
    if (count * widest > 32 || (count == 8 && widest > 2)) continue;
    if ((!rows || layout.width % count == 0) && is_aligned(operands, layout, count)) return count;
  }
  return 1;
}

}  // namespace

DenseLayout dense_layout(std::span<const Tensor> operands) {
  DenseLayout layout;
  const size_t inputs = operands.size() - 1;
  std::vector<Strides> strides;
  for (const Tensor& operand : operands) strides.push_back(operand.strides);
  const CollapsedAxes axes = collapse_axes(operands[inputs].shape, strides);
  const int64_t width = axes.shape.back();
  const size_t rank = axes.shape.size();
  if (rank > 2 || (rank == 2 && width > std::numeric_limits<int32_t>::max())) return layout;
  if (mode_of(axes.strides[inputs], width) != DenseLayout::kEach) return layout;
  for (size_t k = 0; k < inputs; ++k) {
    const std::optional<Mode> mode = mode_of(axes.strides[k], width);
    if (!mode) return layout;
    layout.modes[k] = *mode;
  }
  layout.dense = true;
  if (speaks_of_rows(layout)) layout.width = static_cast<uint32_t>(width);
  layout.vector = vector_of(operands, layout);
  return layout;
}

void order_axes(std::span<Tensor> operands) {
  const Strides steps = operands.back().strides;
  SmallVector<size_t> order(steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto farther = [&](size_t a, size_t b) { return std::abs(steps[a]) > std::abs(steps[b]); };
  if (std::is_sorted(order.begin(), order.end(), farther)) return;
  std::stable_sort(order.begin(), order.end(), farther);
  for (Tensor& operand : operands) {
    const Shape shape = operand.shape;
    const Strides strides = operand.strides;
    for (size_t i = 0; i < order.size(); ++i) {
      operand.shape[i] = shape[order[i]];
      operand.strides[i] = strides[order[i]];
    }
  }
}

void require_float64(const Primitive& primitive, const Task& task) {
  if (task.device.has_float64) return;
  const auto is_double = [](const Tensor& tensor) { return tensor.dtype == float64; };
  if (std::any_of(task.inputs.begin(), task.inputs.end(), is_double) ||
      std::any_of(task.outputs.begin(), task.outputs.end(), is_double)) {
    throw std::invalid_argument(std::string("[") + primitive.name() + "] " + task.device.name +
                                " has no float64; convert to float32 or use a CPU stream");
  }
}

}  // namespace plimsoll::gpu
