// Reading and writing at computed positions: kernels/indexing.
#include "gpu/families/indexing.h"

#include "gpu/register.h"
#include "graph/layout.h"
#include "graph/ops/indexing.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

Tensor row_major_tensor(const Memory& memory, Dtype dtype, const Shape& shape) {
  Tensor tensor;
  const Layout layout = row_major_layout(shape);
  tensor.data = reinterpret_cast<std::byte*>(memory.address);
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.strides = layout.strides;
  tensor.size = tensor.data_size = layout.data_size;
  tensor.flags = layout.flags;
  tensor.home = memory.home;
  return tensor;
}

}  // namespace

Tensor stage_offsets(Task& task, std::span<const Tensor> indices, std::span<const IndexedAxis> axes, OutOfRange rule) {
  const Tensor offsets = row_major_tensor(task.scratch, int64, indices[0].shape);
  const double bytes = static_cast<double>(offsets.size) * 2 * sizeof(int64_t);
  for (size_t k = 0; k < indices.size(); ++k) {
    const bool first = k == 0;
    const std::array constants{uint32_t{first}, static_cast<uint32_t>(rule)};
    const std::array<StridedOperand, 2> operands{
        StridedOperand{indices[k], indices[k].strides},
        StridedOperand{offsets, offsets.strides, first ? hal::AccessKind::kWrite : hal::AccessKind::kReadWrite}};
    stage_extended(task, kernels::index_offsets, constants, offsets.shape, operands, axes[k], {.bytes = bytes},
                   [](IndexedAxis&, uint64_t elements) { return groups_for(elements, kStridedElements); });
  }
  return offsets;
}

void register_indexing(Table& table) {
  table.add<Gather>(encode_gather, gather_scratch);
  table.add<GatherAxis>(encode_gather_axis);
  table.add<Scatter>(encode_scatter, scatter_scratch);
  table.add<ScatterAxis>(encode_scatter_axis);
}

}  // namespace plimsoll::gpu
