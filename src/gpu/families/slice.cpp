// Writing to slices, and slices whose start is computed: kernels/copy.
#include "graph/ops/slice.h"

#include "gpu/families/copy.h"
#include "gpu/register.h"

namespace plimsoll::gpu {
namespace {

// The source's elements, unless the output took over the source's buffer.
void begin_update(Task& task) {
  const Tensor& source = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (out.data != source.data) stage_copy(task, source, out);
}

void encode_slice_update(const Primitive& primitive, Task& task) {
  const SliceSpec& spec = static_cast<const SliceUpdate&>(primitive).spec();
  const Tensor& update = task.inputs[1];
  const Tensor& out = task.outputs[0];
  begin_update(task);
  Strides strides(out.strides.size());
  int64_t first = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    strides[i] = out.strides[i] * spec.strides[i];
    first += out.strides[i] * spec.start[i];
  }
  stage_copy(task, update, part_of(out, first, update.shape, strides));
}

void encode_dynamic_slice(const Primitive& primitive, Task& task) {
  const DynamicStart at{task.inputs[1], static_cast<const DynamicSlice&>(primitive).axes()};
  stage_copy_from(task, at, task.inputs[0], task.outputs[0]);
}

void encode_dynamic_slice_update(const Primitive& primitive, Task& task) {
  begin_update(task);
  const DynamicStart at{task.inputs[2], static_cast<const DynamicSliceUpdate&>(primitive).axes()};
  stage_copy_to(task, at, task.inputs[1], task.outputs[0]);
}

}  // namespace

void register_slice(Table& table) {
  table.add<SliceUpdate>(encode_slice_update);
  table.add<DynamicSlice>(encode_dynamic_slice);
  table.add<DynamicSliceUpdate>(encode_dynamic_slice_update);
}

}  // namespace plimsoll::gpu
