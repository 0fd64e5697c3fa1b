#include "gpu/launch.h"

#include <algorithm>
#include <utility>

namespace plimsoll::gpu {
namespace {

struct Extent {
  int64_t lowest = 0;  // element, relative to [0, 0, ...]
  int64_t highest = 0;
};

Extent extent_of(const Tensor& tensor) {
  Extent extent;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const int64_t reach = (int64_t{tensor.shape[i]} - 1) * tensor.strides[i];
    (reach < 0 ? extent.lowest : extent.highest) += reach;
  }
  return extent;
}

// Axes in the order of falling stride, without those that step nowhere; neighbours that step evenly joined.
struct Step {
  uint64_t stride, count;
};
SmallVector<Step> steps_of(const Tensor& tensor) {
  SmallVector<Step> steps;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const int64_t stride = tensor.strides[i];
    if (tensor.shape[i] > 1 && stride != 0) {
      steps.push_back({static_cast<uint64_t>(stride < 0 ? -stride : stride), static_cast<uint64_t>(tensor.shape[i])});
    }
  }
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.stride > b.stride; });
  size_t kept = 0;
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[kept].stride == steps[i].stride * steps[i].count) {
      steps[kept] = {steps[i].stride, steps[kept].count * steps[i].count};
    } else {
      steps[++kept] = steps[i];
    }
  }
  if (!steps.empty()) steps.resize(kept + 1);
  return steps;
}

}  // namespace

TensorRegion region_of(const Tensor& tensor) {
  if (tensor.size == 0) return {{}, true};
  const uint64_t item = tensor.dtype.size();
  const uint64_t address = address_of(tensor);
  if (tensor.flags.row_contiguous) return {{address, tensor.size * item, tensor.size * item, 1}, true};
  const Extent extent = extent_of(tensor);
  const uint64_t low = address + static_cast<uint64_t>(extent.lowest) * item;
  const uint64_t bytes = static_cast<uint64_t>(extent.highest - extent.lowest + 1) * item;
  const auto steps = steps_of(tensor);
  if (steps.empty()) return {{low, item, item, 1}, true};
  const bool dense_tail = steps.back().stride == 1;
  if (dense_tail && steps.size() == 1) return {{low, bytes, bytes, 1}, true};
  // Rows that overlap are stated as one span.
  const uint64_t row = dense_tail ? steps.back().count : 1;
  const bool one_level = steps.size() == (dense_tail ? 2u : 1u);
  if (one_level && steps.front().stride >= row) {
    return {{low, row * item, steps.front().stride * item, steps.front().count}, true};
  }
  return {{low, bytes, bytes, 1}, false};
}

uint64_t Launch::accesses(const Tensor& tensor, const hal::Region& region, hal::AccessKind kind) {
  if (!region.empty()) accesses_.push_back({region, kind, tensor.home});
  return region.address;
}

uint64_t Launch::state(const Tensor& tensor, hal::AccessKind kind) {
  const TensorRegion stated = region_of(tensor);
  const bool gaps = kind == hal::AccessKind::kWrite && !stated.exact;
  accesses(tensor, stated.region, gaps ? hal::AccessKind::kReadWrite : kind);
  return address_of(tensor);
}

uint64_t Launch::state(const Memory& memory, hal::AccessKind kind) {
  if (memory.bytes > 0) accesses_.push_back({{memory.address, memory.bytes, memory.bytes, 1}, kind, memory.home});
  return memory.address;
}

}  // namespace plimsoll::gpu
