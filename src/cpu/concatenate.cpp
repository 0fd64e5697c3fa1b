#include "graph/ops/concatenate.h"

#include "cpu/copy.h"
#include "cpu/register.h"

namespace plimsoll::cpu {
namespace {

void concatenate(const Primitive& primitive, const Task& task) {
  const int axis = static_cast<const Concatenate&>(primitive).axis();
  const Tensor& out = task.outputs[0];
  const int64_t step = out.strides[axis] * static_cast<int64_t>(size_of(out.dtype));
  std::byte* destination = out.data;
  for (const Tensor& input : task.inputs) {
    if (input.size > 0) {
      copy_strided(input.data, input.strides, destination, out.strides, input.shape, size_of(out.dtype));
    }
    destination += step * input.shape[axis];
  }
}

}  // namespace

void register_concatenate(Table& table) { table.add<Concatenate>(concatenate); }

}  // namespace plimsoll::cpu
