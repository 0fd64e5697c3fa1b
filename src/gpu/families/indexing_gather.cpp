// Gather, as runs of bytes that start where indices say (kernels/copy/copy_rows.comp), and GatherAxis.
#include <array>
#include <cassert>

#include "gpu/families/copy.h"
#include "gpu/families/copy_runs.h"
#include "gpu/families/indexing.h"
#include "graph/layout.h"
#include "graph/ops/indexing.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr size_t kRunAxes = 8;

// copy_rows.comp, variant gathered
struct GatherParameters {
  uint32_t first_group = 0;
  uint32_t lanes = 1;
  RunWork<kRunAxes> work;
  uint64_t indices = 0;
  int64_t step = 0;
  IndexedAxis axis;
  uint32_t is_offset = 0, unused = 0;
};

// The step from one element to the next in row-major order, in `step`; false where there is none.
bool steps_evenly(const Tensor& tensor, int64_t& step) {
  const CollapsedAxes axes = collapse_axes(tensor.shape, std::array{tensor.strides});
  step = axes.strides[0].back();
  return axes.shape.size() == 1;
}

// A single array that steps evenly is read by the kernel itself.
bool needs_offsets(std::span<const Tensor> indices) {
  int64_t step = 0;
  return indices.size() > 1 || (indices.size() == 1 && !steps_evenly(indices[0], step));
}

SmallVector<IndexedAxis> gathered_axes(const Gather& self, const Tensor& source, std::span<const Tensor> indices) {
  SmallVector<IndexedAxis> axes;
  for (size_t k = 0; k < indices.size(); ++k) {
    const int axis = self.axes()[k];
    axes.push_back({source.shape[axis], source.shape[axis] - self.slice_sizes()[axis],
                    source.strides[axis] * static_cast<int64_t>(source.dtype.size()), dtype_code(indices[k].dtype)});
  }
  return axes;
}

// Fills in where the indices are; returns the tensor that holds them.
Tensor locate_indices(Task& task, std::span<const Tensor> indices, std::span<const IndexedAxis> axes,
                      GatherParameters& parameters) {
  const bool is_offset = needs_offsets(indices);
  const Tensor read = is_offset ? stage_offsets(task, indices, axes, OutOfRange::kNearest) : indices[0];
  steps_evenly(read, parameters.step);
  parameters.is_offset = is_offset ? 1 : 0;
  parameters.axis = is_offset ? IndexedAxis{.dtype = dtype_code(int64)} : axes[0];
  return read;
}

void stage_gather(Task& task, const Gather& self) {
  const Tensor& source = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const Shape& slice = self.slice_sizes();
  const SmallVector<IndexedAxis> axes = gathered_axes(self, source, task.inputs.subspan(1));
  GatherParameters parameters;
  const Tensor indices = locate_indices(task, task.inputs.subspan(1), {axes.data(), axes.size()}, parameters);
  const Runs runs = runs_of(slice, source.strides, row_major_strides(slice), source.dtype.size());
  const uint64_t slice_bytes = runs.count() * runs.bytes;
  uint64_t alignment = address_of(source) | address_of(out) | slice_bytes;
  for (const IndexedAxis& axis : axes) alignment |= static_cast<uint64_t>(axis.stride);

  // Axis 0 of the work is the indices'.
  const RunBlocks blocks(runs, kRunAxes - 1);
  RunWork<kRunAxes>& work = parameters.work;
  blocks.fill(work, 1, indices.size);
  work.sizes[0] = indices.size;
  work.to_strides[0] = static_cast<int64_t>(slice_bytes);
  const RunSharing sharing = share_runs(work.run, work.runs);
  parameters.lanes = sharing.lanes;
  work.chunks = sharing.chunks;
  for (int64_t block = 0; block < blocks.count(); ++block) {
    Launch launch(task, kernels::copy_rows_gathered, {runs.unit(alignment, 4), 0});
    work.from = launch.reads(source) + static_cast<uint64_t>(blocks.source_offset(block));
    work.to = (blocks.count() == 1 ? launch.writes(out) : launch.updates(out)) +
              static_cast<uint64_t>(blocks.target_offset(block));
    parameters.indices = launch.reads(indices);
    launch.run(parameters, sharing.groups, {.bytes = 2.0 * static_cast<double>(work.run * work.runs)});
  }
}

}  // namespace

size_t gather_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor>,
                      const hal::DeviceInfo&) {
  const std::span<const Tensor> indices = inputs.subspan(1);
  return needs_offsets(indices) ? offsets_bytes(indices) : 0;
}

void encode_gather(const Primitive& primitive, Task& task) {
  const auto& self = static_cast<const Gather&>(primitive);
  if (task.outputs[0].size == 0) return;
  if (task.inputs.size() == 1) {
    const Tensor& source = task.inputs[0];
    return stage_copy(task, part_of(source, 0, self.slice_sizes(), source.strides), task.outputs[0]);
  }
  stage_gather(task, self);
}

void encode_gather_axis(const Primitive& primitive, Task& task) {
  const int axis = static_cast<const GatherAxis&>(primitive).axis();
  const Tensor& source = task.inputs[0];
  const Tensor& indices = task.inputs[1];
  const Tensor& out = task.outputs[0];
  if (out.size == 0) return;
  const IndexedAxis along{source.shape[axis], source.shape[axis] - 1, source.strides[axis], dtype_code(indices.dtype)};
  Strides others = source.strides;
  others[axis] = 0;
  const std::array<StridedOperand, 3> operands{StridedOperand{source, others}, StridedOperand{indices, indices.strides},
                                               StridedOperand{out, out.strides, hal::AccessKind::kWrite}};
  const std::array constants{static_cast<uint32_t>(out.dtype.size())};
  const double bytes = static_cast<double>(out.size) * (2.0 * out.dtype.size() + indices.dtype.size());
  stage_extended(task, kernels::gather_axis, constants, out.shape, operands, along, {.bytes = bytes},
                 [](IndexedAxis&, uint64_t elements) { return groups_for(elements, kStridedElements); });
}

}  // namespace plimsoll::gpu
