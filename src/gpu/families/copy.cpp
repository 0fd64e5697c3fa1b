#include "gpu/families/copy.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "gpu/families/copy_runs.h"
#include "graph/layout.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr uint32_t kLargestUnit = 4;
constexpr size_t kStartAxes = 16;

// kernels/copy/copy_rows.comp
template <size_t N>
struct RunParameters {
  uint32_t first_group = 0;
  uint32_t lanes = 1;
  RunWork<N> work;
};
static_assert(sizeof(RunParameters<3>) <= hal::kDirectParameterBytes);

struct StartedParameters {
  uint32_t first_group = 0;
  uint32_t lanes = 1;
  RunWork<8> work;
  uint64_t start = 0;
  int64_t start_step = 0;
  uint32_t start_dtype = 0, start_axes = 0;
  uint32_t start_is_target = 0, unused = 0;
  int64_t lengths[kStartAxes] = {}, rooms[kStartAxes] = {}, strides[kStartAxes] = {};
};

// What a copy touches: the tensors are those that the kernel may reach into.
struct Sides {
  const Tensor& source;
  const Tensor& target;
  bool writes_all;  // of the target
};

// Stages the kernel over all runs. `extend(launch, parameters)` adds what the kernel needs beside the runs.
template <typename Parameters, typename Extend>
void stage_runs(Task& task, const hal::KernelCode& code, const Runs& runs, std::array<uint32_t, 2> constants,
                const Sides& sides, Extend&& extend) {
  const RunBlocks blocks(runs, decltype(Parameters::work)::kAxes);
  for (int64_t block = 0; block < blocks.count(); ++block) {
    Launch launch(task, code, constants);
    Parameters parameters{};
    auto& work = parameters.work;
    blocks.fill(work);
    work.from = launch.reads(sides.source) + static_cast<uint64_t>(blocks.source_offset(block));
    const bool whole = sides.writes_all && blocks.count() == 1;
    const uint64_t target = whole ? launch.writes(sides.target) : launch.updates(sides.target);
    work.to = target + static_cast<uint64_t>(blocks.target_offset(block));
    const RunSharing sharing = share_runs(work.run, work.runs);
    parameters.lanes = sharing.lanes;
    work.chunks = sharing.chunks;
    extend(launch, parameters);
    launch.run(parameters, sharing.groups, {.bytes = 2.0 * static_cast<double>(work.run * work.runs)});
  }
}

// kernels/copy/copy_transpose.comp
struct TransposeParameters {
  uint32_t first_group = 0;
  uint32_t row_tiles = 0, column_tiles = 0;
  uint32_t aligned = 0;
  uint64_t from = 0, to = 0;
  uint64_t rows = 0, columns = 0;
  int64_t from_column = 0, to_row = 0;
  uint64_t inner_size = 1;
  int64_t from_strides[2] = {}, to_strides[2] = {};
};
static_assert(sizeof(TransposeParameters) <= hal::kDirectParameterBytes);

constexpr int64_t kShortestTransposed = 16;  // elements

// The axis along which the source is dense, if tiles over it and the target's dense axis are worth it; else -1.
int transposed_axis(const Runs& runs, size_t item, uint64_t addresses) {
  const int last = static_cast<int>(runs.sizes.size()) - 1;
  const auto step = static_cast<int64_t>(item);
  if (last < 1 || last > 3 || runs.bytes != item || runs.unit(addresses, 4) < std::min<size_t>(item, 4)) return -1;
  if (runs.target.back() != step || runs.sizes.back() < kShortestTransposed) return -1;
  for (int axis = 0; axis < last; ++axis) {
    if (runs.source[axis] == step && runs.sizes[axis] >= kShortestTransposed) return axis;
  }
  return -1;
}

void stage_transpose(Task& task, const Runs& runs, int axis, uint64_t addresses, const Sides& sides) {
  const auto item = static_cast<uint32_t>(runs.bytes);
  const uint64_t tile = item == 1 ? 128 : item == 8 ? 32 : 64;
  Launch launch(task, item == 8 ? kernels::copy_transpose_wide : kernels::copy_transpose_narrow, {item});
  TransposeParameters p;
  p.from = launch.reads(sides.source);
  p.to = launch.writes(sides.target);
  p.rows = static_cast<uint64_t>(runs.sizes[axis]);
  p.columns = static_cast<uint64_t>(runs.sizes.back());
  p.row_tiles = static_cast<uint32_t>(groups_for(p.rows, tile));
  p.column_tiles = static_cast<uint32_t>(groups_for(p.columns, tile));
  p.from_column = runs.source.back();
  p.to_row = runs.target[axis];
  uint64_t offsets = addresses | static_cast<uint64_t>(p.from_column) | static_cast<uint64_t>(p.to_row);
  uint64_t batches = 1;
  for (int i = static_cast<int>(runs.sizes.size()) - 2, slot = 1; i >= 0; --i) {
    if (i == axis) continue;
    if (slot == 1) p.inner_size = static_cast<uint64_t>(runs.sizes[i]);
    p.from_strides[slot] = runs.source[i];
    p.to_strides[slot] = runs.target[i];
    offsets |= static_cast<uint64_t>(runs.source[i]) | static_cast<uint64_t>(runs.target[i]);
    batches *= static_cast<uint64_t>(runs.sizes[i]);
    --slot;
  }
  p.aligned = offsets % 4 == 0 ? 1 : 0;
  launch.run(p, batches * p.row_tiles * p.column_tiles, {.bytes = 2.0 * static_cast<double>(runs.count() * item)});
}

void stage_started(Task& task, const DynamicStart& at, const Runs& runs, const Sides& sides, bool at_target,
                   const Shape& slice) {
  const Tensor& sliced = at_target ? sides.target : sides.source;
  const auto item = static_cast<int64_t>(sliced.dtype.size());
  if (at.axes.size() > kStartAxes) {
    throw std::invalid_argument("[slice] at most " + std::to_string(kStartAxes) + " computed starts; got " +
                                std::to_string(at.axes.size()));
  }
  uint64_t addresses = address_of(sides.source) | address_of(sides.target);
  for (const int axis : at.axes) addresses |= static_cast<uint64_t>(sliced.strides[axis] * item);
  const auto extend = [&](Launch& launch, StartedParameters& p) {
    p.start = launch.reads(at.start);
    p.start_step = at.start.strides.empty() ? 0 : at.start.strides[0];
    p.start_dtype = dtype_code(at.start.dtype);
    p.start_axes = static_cast<uint32_t>(at.axes.size());
    p.start_is_target = at_target ? 1 : 0;
    for (size_t k = 0; k < at.axes.size(); ++k) {
      const int axis = at.axes[k];
      p.lengths[k] = sliced.shape[axis];
      p.rooms[k] = sliced.shape[axis] - slice[axis];
      p.strides[k] = sliced.strides[axis] * item;
    }
  };
  stage_runs<StartedParameters>(task, kernels::copy_rows_started, runs, {runs.unit(addresses, kLargestUnit), 0}, sides,
                                extend);
}

}  // namespace

void stage_copy(Task& task, const Tensor& source, const Tensor& target) {
  if (target.size == 0) return;
  const uint64_t addresses = address_of(source) | address_of(target);
  Runs runs = runs_of(source.shape, source.strides, target.strides, source.dtype.size());
  const uint32_t splat = take_splat(runs, source.dtype.size(), addresses);
  const std::array constants{runs.unit(addresses, kLargestUnit), splat};
  const Sides sides{source, target, true};
  if (const int axis = splat == 0 ? transposed_axis(runs, source.dtype.size(), addresses) : -1; axis >= 0) {
    return stage_transpose(task, runs, axis, addresses, sides);
  }
  const auto nothing = [](Launch&, auto&) {};
  if (runs.sizes.size() <= 3) {
    stage_runs<RunParameters<3>>(task, kernels::copy_rows_plain, runs, constants, sides, nothing);
  } else {
    stage_runs<RunParameters<8>>(task, kernels::copy_rows_many, runs, constants, sides, nothing);
  }
}

void stage_copy_from(Task& task, const DynamicStart& at, const Tensor& source, const Tensor& target) {
  if (target.size == 0) return;
  const Runs runs = runs_of(target.shape, source.strides, target.strides, source.dtype.size());
  stage_started(task, at, runs, {source, target, true}, false, target.shape);
}

void stage_copy_to(Task& task, const DynamicStart& at, const Tensor& source, const Tensor& target) {
  if (source.size == 0) return;
  const Runs runs = runs_of(source.shape, source.strides, target.strides, source.dtype.size());
  stage_started(task, at, runs, {source, target, false}, true, source.shape);
}

Tensor part_of(const Tensor& tensor, int64_t first, const Shape& shape, const Strides& strides) {
  Tensor part = tensor;
  part.shape = shape;
  part.strides = strides;
  part.size = element_count(shape);
  part.data_size = strided_extent(shape, strides);
  part.flags = layout_flags(shape, strides, part.data_size);
  const uint64_t address = address_of(tensor) + static_cast<uint64_t>(first) * tensor.dtype.size();
  part.data = part.size == 0 ? nullptr : reinterpret_cast<std::byte*>(address);
  return part;
}

}  // namespace plimsoll::gpu
