// Scatter and ScatterAxis. Every way of combining is done in the order of the updates, as on the CPU, so results do not
// depend on timing and floats need no atomics (kernels/indexing/scatter.comp).
#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "gpu/families/copy.h"
#include "gpu/families/indexing.h"
#include "graph/layout.h"
#include "graph/ops/indexing.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

using Mode = Scatter::Mode;

constexpr int64_t kShortestRow = 32;  // elements; shorter ones are single elements
constexpr int64_t kRowBlock = 1024;   // elements that are dealt out together
constexpr int64_t kElementBlock = 256;
constexpr uint64_t kManyItems = uint64_t{1} << 18;
constexpr double kOperationsAnItem = 16;  // looking at one

// scatter.comp: STRIDED_MORE
struct ScatterMore {
  IndexedAxis axis;
  uint64_t items = 0;
  int64_t key_stride = 1;
  int64_t run = 1;
  int64_t run_stride = 0;
  uint32_t owners = 1;
  uint32_t keys_are_positions = 0;
};

struct Variant {
  const hal::KernelCode* code;
  uint32_t dtype;
};

// Putting moves bits: any dtype is an integer of its size then.
Variant put_variant(Dtype dtype) {
  switch (dtype.size()) {
    case 1:
      return {&kernels::scatter_long, dtype_code(uint8)};
    case 2:
      return {&kernels::scatter_long, dtype_code(uint16)};
    case 4:
      return {&kernels::scatter_long, dtype_code(uint32)};
    default:
      return {&kernels::scatter_long, dtype_code(uint64)};
  }
}

Variant choose_variant(const Primitive& primitive, Mode mode, Dtype dtype, const hal::DeviceInfo& device) {
  if (mode == Mode::kNone) return put_variant(dtype);
  switch (dtype.val()) {
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16:
    case Dtype::Val::float32:
      return {&kernels::scatter_float, dtype_code(dtype)};
    case Dtype::Val::complex64:
      return {&kernels::scatter_complex, dtype_code(dtype)};
    case Dtype::Val::float64:
      if (!device.has_float64) {
        throw std::invalid_argument(std::string("[") + primitive.name() + "] " + device.name + " has no float64");
      }
      return {&kernels::scatter_double, dtype_code(dtype)};
    default:
      return {&kernels::scatter_long, dtype_code(dtype)};
  }
}

// The source's elements, unless the output took over the source's buffer.
void begin_update(Task& task) {
  const Tensor& source = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (out.data != source.data) stage_copy(task, source, out);
}

// Workgroups that share a line of `elements` among `lines`: enough to fill the device, but each looks at all items.
uint32_t choose_owners(const hal::DeviceInfo& device, uint64_t lines, uint64_t elements, int64_t block,
                       uint64_t items) {
  const uint64_t units = std::max<uint32_t>(device.compute_units, 4);
  const uint64_t wanted = items < kManyItems ? 8 * units : 2 * units;
  const uint64_t blocks = groups_for(elements, static_cast<uint64_t>(block));
  const uint64_t owners = std::min(blocks, std::max<uint64_t>(1, wanted / lines));
  return static_cast<uint32_t>(std::bit_ceil(owners));
}

// A scatter as its kernel sees it.
struct Problem {
  Shape shape;                             // of the items; the innermost axes of the last of `lines` lines
  std::array<StridedOperand, 3> operands;  // updates, indices, target
  ScatterMore more;
  uint64_t lines = 1;
  bool offsets = false;
};

void stage_scatter(Task& task, const Primitive& primitive, Mode mode, const Problem& problem) {
  const Tensor& out = task.outputs[0];
  const Variant variant = choose_variant(primitive, mode, out.dtype, task.device);
  const bool rows = problem.more.run > 1;
  const std::array constants{variant.dtype, static_cast<uint32_t>(mode), uint32_t{problem.offsets}, uint32_t{rows}};
  const double updates = static_cast<double>(task.inputs[problem.more.keys_are_positions != 0 ? 2 : 1].size);
  const double items = updates / static_cast<double>(problem.more.run);
  const hal::Cost cost{.operations = items * problem.more.owners * kOperationsAnItem,
                       .bytes = 3.0 * updates * out.dtype.size()};
  stage_extended(task, *variant.code, constants, problem.shape, problem.operands, problem.more, cost,
                 [&](ScatterMore& more, uint64_t elements) {
                   const uint64_t lines = problem.lines == 1 ? 1 : elements / more.items;
                   more.items = elements / lines;
                   return lines * more.owners;
                 });
}

// Takes trailing axes of the slices that are dense in the target, and evenly spaced in the updates, as rows: those axes
// leave `shape` and all strides.
void take_rows(Problem& problem, size_t slice_axes, const Strides& updates, const Strides& target) {
  ScatterMore& more = problem.more;
  Shape& shape = problem.shape;
  size_t kept = shape.size();
  for (; slice_axes > 0; --slice_axes, --kept) {
    const size_t axis = kept - 1;
    if (shape[axis] == 1) continue;
    if (more.run == 1) more.run_stride = updates[axis];
    if (target[axis] != more.run || updates[axis] != more.run * more.run_stride) break;
    more.run *= shape[axis];
  }
  if (more.run < kShortestRow) {
    more.run = 1;
    return;
  }
  shape.resize(kept);
  for (StridedOperand& operand : problem.operands) operand.strides.resize(kept);
}

SmallVector<IndexedAxis> scattered_axes(const Scatter& self, const Tensor& out, std::span<const Tensor> indices,
                                        std::span<const ShapeElem> slice) {
  SmallVector<IndexedAxis> axes;
  for (size_t k = 0; k < indices.size(); ++k) {
    const int axis = self.axes()[k];
    axes.push_back({out.shape[axis], out.shape[axis] - slice[axis], out.strides[axis], dtype_code(indices[k].dtype)});
  }
  return axes;
}

// What holds the positions of the slices, and whether they are offsets. Without indices nothing is read.
struct Positions {
  Tensor tensor;
  IndexedAxis axis;
  bool are_offsets;
};

Positions find_positions(const Scatter& self, Task& task, std::span<const ShapeElem> slice) {
  const std::span<const Tensor> indices = task.inputs.subspan(2);
  if (indices.empty()) return {task.inputs[1], {}, false};
  const SmallVector<IndexedAxis> axes = scattered_axes(self, task.outputs[0], indices, slice);
  if (indices.size() == 1) return {indices[0], axes[0], false};
  return {stage_offsets(task, indices, {axes.data(), axes.size()}, OutOfRange::kSkip), {}, true};
}

void stage_slices(Task& task, const Scatter& self) {
  const Tensor& updates = task.inputs[1];
  const Tensor& out = task.outputs[0];
  const size_t slice_axes = out.shape.size();
  const size_t index_axes = updates.shape.size() - slice_axes;
  const Positions positions = find_positions(self, task, {updates.shape.data() + index_axes, slice_axes});
  Strides along_indices = index_axes == 0 ? Strides{} : positions.tensor.strides;
  along_indices.resize(updates.shape.size(), 0);
  Strides along_slice(index_axes, 0);
  along_slice.insert(along_slice.end(), out.strides.begin(), out.strides.end());
  Problem problem{updates.shape,
                  {StridedOperand{updates, updates.strides}, StridedOperand{positions.tensor, along_indices},
                   StridedOperand{out, along_slice, hal::AccessKind::kReadWrite}},
                  {.axis = positions.axis},
                  1,
                  positions.are_offsets};
  take_rows(problem, slice_axes, updates.strides, along_slice);
  const int64_t block = problem.more.run > 1 ? kRowBlock : kElementBlock;
  const uint64_t items = updates.size / static_cast<uint64_t>(problem.more.run);
  problem.more.owners = choose_owners(task.device, 1, out.size, block, items);
  stage_scatter(task, self, self.mode(), problem);
}

// The axis last, so that the items of a line follow each other.
template <typename Dims>
Dims axis_last(Dims dims, int axis) {
  const auto along = dims[axis];
  dims.erase(dims.begin() + axis);
  dims.push_back(along);
  return dims;
}

void stage_lines(Task& task, const ScatterAxis& self) {
  const int axis = self.axis();
  const Tensor& indices = task.inputs[1];
  const Tensor& updates = task.inputs[2];
  const Tensor& out = task.outputs[0];
  const auto items = static_cast<uint64_t>(indices.shape[axis]);
  Strides along_lines = out.strides;
  along_lines[axis] = 0;
  Problem problem{axis_last(indices.shape, axis),
                  {StridedOperand{updates, axis_last(updates.strides, axis)},
                   StridedOperand{indices, axis_last(indices.strides, axis)},
                   StridedOperand{out, axis_last(along_lines, axis), hal::AccessKind::kReadWrite}},
                  {.axis = {out.shape[axis], out.shape[axis] - 1, 1, dtype_code(indices.dtype)},
                   .items = items,
                   .key_stride = out.strides[axis],
                   .keys_are_positions = 1},
                  indices.size / items,
                  false};
  problem.more.owners =
      choose_owners(task.device, problem.lines, static_cast<uint64_t>(out.shape[axis]), kElementBlock, items);
  stage_scatter(task, self, self.mode() == ScatterAxis::Mode::kSum ? Mode::kSum : Mode::kNone, problem);
}

}  // namespace

size_t scatter_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor>,
                       const hal::DeviceInfo&) {
  const std::span<const Tensor> indices = inputs.subspan(2);
  return indices.size() > 1 ? offsets_bytes(indices) : 0;
}

void encode_scatter(const Primitive& primitive, Task& task) {
  begin_update(task);
  if (task.inputs[1].size > 0) stage_slices(task, static_cast<const Scatter&>(primitive));
}

void encode_scatter_axis(const Primitive& primitive, Task& task) {
  begin_update(task);
  if (task.inputs[1].size > 0) stage_lines(task, static_cast<const ScatterAxis&>(primitive));
}

}  // namespace plimsoll::gpu
