#include "gpu/families/reduction.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/lanes.h"
#include "gpu/launch.h"
#include "graph/layout.h"

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kLongestRun = 4096;   // elements that a lane combines, for the sake of float32 sums
constexpr uint64_t kShortestRun = 32;    // that are worth a chunk of their own
constexpr uint64_t kFewestColumns = 32;  // outputs from which neighbours work on neighbouring ones
constexpr uint32_t kColumnLanes = 8;     // most lanes to an output of columns

// Axes of one side, largest stride first and broadcast ones before all others, so that the last runs fastest.
CollapsedAxes sorted_axes(std::span<const int> axes, const Shape& shape, std::span<const Strides> strides) {
  SmallVector<int> order(axes.begin(), axes.end());
  const auto magnitude = [&](int axis) {
    const int64_t stride = strides[0][axis];
    return stride == 0 ? std::numeric_limits<int64_t>::max() : std::abs(stride);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return magnitude(a) > magnitude(b); });
  Shape sorted_shape;
  std::vector<Strides> sorted(strides.size());
  for (const int axis : order) {
    sorted_shape.push_back(shape[axis]);
    for (size_t k = 0; k < strides.size(); ++k) sorted[k].push_back(strides[k][axis]);
  }
  return collapse_axes(sorted_shape, sorted);
}

// Outer and inner axes of the plan, and the base.
struct Walk {
  CollapsedAxes outer;  // operands: input, output
  CollapsedAxes inner;  // operand: input
};

Walk walk_of(const Tensor& in, const Tensor& out, std::span<const int> reduced, bool keep_order, int64_t& base) {
  SmallVector<int> kept;
  Strides strides = in.strides;
  for (int axis = 0; axis < in.ndim(); ++axis) {
    if (std::find(reduced.begin(), reduced.end(), axis) == reduced.end()) {
      kept.push_back(axis);
    } else if (strides[axis] < 0 && !keep_order) {
      base += strides[axis] * (in.shape[axis] - 1);
      strides[axis] = -strides[axis];
    }
  }
  const Strides both[] = {strides, out.strides};
  return {sorted_axes({kept.data(), kept.size()}, in.shape, both), sorted_axes(reduced, in.shape, {both, 1})};
}

void check_axes(const char* name, const Walk& walk) {
  const size_t axes = std::max(walk.outer.shape.size(), walk.inner.shape.size());
  if (axes <= kReductionAxes) return;
  throw std::invalid_argument("[" + std::string(name) + "] on a GPU walks at most " + std::to_string(kReductionAxes) +
                              " axes that do not join; got " + std::to_string(axes) + ". Make the input contiguous.");
}

void fill_axes(const Walk& walk, ReductionParameters& p) {
  p.inner_axes = static_cast<uint32_t>(walk.inner.shape.size());
  p.outer_axes = static_cast<uint32_t>(walk.outer.shape.size());
  for (size_t i = 0; i < walk.inner.shape.size(); ++i) {
    p.inner_sizes[i] = static_cast<uint64_t>(walk.inner.shape[i]);
    p.inner_strides[i] = walk.inner.strides[0][i];
  }
  for (size_t i = 0; i < walk.outer.shape.size(); ++i) {
    p.outer_sizes[i] = static_cast<uint64_t>(walk.outer.shape[i]);
    p.outer_in[i] = walk.outer.strides[0][i];
    p.outer_out[i] = walk.outer.strides[1][i];
  }
}

uint32_t column_lanes(uint64_t count) {
  uint32_t lanes = 1;
  while (lanes < kColumnLanes && uint64_t{lanes} * 16 <= count) lanes *= 2;
  return lanes;
}

void choose_lanes(const Walk& walk, const Tensor& in, const hal::DeviceInfo& device, ReductionChoice choice,
                  Reduction& plan) {
  const ReductionParameters& p = plan.parameters;
  const int64_t inner_step = std::abs(walk.inner.strides[0].back());
  const int64_t outer_step = std::abs(walk.outer.strides[0].back());
  const bool side_by_side = walk.inner.shape.size() == 1 && walk.inner.strides[0].back() == 1;
  if (choice.may_pack && side_by_side) {
    plan.pack = static_cast<uint32_t>(16 / in.dtype.size());
    plan.packs_aligned = true;
    for (size_t i = 0; i < walk.outer.shape.size(); ++i) {
      if (walk.outer.shape[i] > 1 && walk.outer.strides[0][i] % plan.pack != 0) plan.packs_aligned = false;
    }
  }
  plan.adjacent = inner_step <= outer_step || p.outputs < kFewestColumns || (inner_step == 1 && p.count > 1);
  const uint64_t steps = groups_for(p.count, plan.pack);
  plan.lanes = plan.adjacent ? lanes_for(p.outputs, steps, device) : column_lanes(p.count);
}

// Chunks of whole steps of all lanes.
void choose_chunks(uint64_t wanted, Reduction& plan) {
  ReductionParameters& p = plan.parameters;
  const uint64_t step = uint64_t{plan.lanes} * plan.pack;
  uint64_t chunks = 1;
  if (p.outputs > 0) {
    const uint64_t most = std::max<uint64_t>(groups_for(p.count, step * kShortestRun / plan.pack), 1);
    const uint64_t least = groups_for(p.count, uint64_t{plan.lanes} * kLongestRun);
    const uint64_t useful = wanted / std::max<uint64_t>(plan.groups(), 1);
    chunks = std::max({std::min(most, useful), least, uint64_t{1}});
  }
  p.chunk = groups_for(groups_for(p.count, chunks), step) * step;
  p.chunks = static_cast<uint32_t>(std::max<uint64_t>(groups_for(p.count, std::max<uint64_t>(p.chunk, 1)), 1));
}

}  // namespace

uint64_t Reduction::groups() const { return groups_for(parameters.outputs, kLaneGroup / lanes) * parameters.chunks; }

Reduction plan_reduction(const char* name, const Tensor& in, const Tensor& out, std::span<const int> reduced,
                         const hal::DeviceInfo& device, ReductionChoice choice) {
  Reduction plan;
  const Walk walk = walk_of(in, out, reduced, choice.keep_order, plan.base);
  check_axes(name, walk);
  fill_axes(walk, plan.parameters);
  plan.parameters.outputs = out.size;
  plan.parameters.count = out.size == 0 ? 0 : in.size / out.size;
  choose_lanes(walk, in, device, choice, plan);
  choose_chunks(wanted_groups(device), plan);
  return plan;
}

Reduction plan_joining(const Reduction& first, Dtype dtype, const hal::DeviceInfo& device, bool may_pack) {
  Reduction plan;
  ReductionParameters& p = plan.parameters;
  p = first.parameters;
  p.count = p.inner_sizes[0] = p.chunk = first.parameters.chunks;
  p.inner_strides[0] = 1;
  p.inner_axes = p.chunks = 1;
  auto step = static_cast<int64_t>(p.count);
  for (size_t i = p.outer_axes; i-- > 0;) {
    p.outer_in[i] = step;
    step *= static_cast<int64_t>(p.outer_sizes[i]);
  }
  plan.pack = may_pack ? static_cast<uint32_t>(16 / dtype.size()) : 1;
  plan.packs_aligned = p.outputs == 1 || p.count % plan.pack == 0;
  plan.lanes = lanes_for(p.outputs, groups_for(p.count, plan.pack), device);
  p.chunk = groups_for(p.count, uint64_t{plan.lanes} * plan.pack) * plan.lanes * plan.pack;
  return plan;
}

}  // namespace plimsoll::gpu
