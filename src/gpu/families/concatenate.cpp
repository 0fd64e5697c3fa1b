// Joining arrays: one copy for each input.
#include "graph/ops/concatenate.h"

#include "gpu/families/copy.h"
#include "gpu/register.h"

namespace plimsoll::gpu {
namespace {

void encode_concatenate(const Primitive& primitive, Task& task) {
  const int axis = static_cast<const Concatenate&>(primitive).axis();
  const Tensor& out = task.outputs[0];
  int64_t first = 0;
  for (const Tensor& input : task.inputs) {
    stage_copy(task, input, part_of(out, first, input.shape, out.strides));
    first += out.strides[axis] * input.shape[axis];
  }
}

}  // namespace

void register_concatenate(Table& table) { table.add<Concatenate>(encode_concatenate); }

}  // namespace plimsoll::gpu
