// Views that strides could not express: copies into row-major order.
#include "graph/ops/views.h"

#include "gpu/families/copy.h"
#include "gpu/register.h"

namespace plimsoll::gpu {
namespace {

// Both sides are read in row-major order, so a reshape is a copy from the input's shape to a dense output.
void encode_copy(const Primitive&, Task& task) {
  const Tensor& source = task.inputs[0];
  stage_copy(task, source, part_of(task.outputs[0], 0, source.shape, row_major_strides(source.shape)));
}

}  // namespace

void register_views(Table& table) {
  table.add<Contiguous>(encode_copy);
  table.add<Reshape>(encode_copy);
}

}  // namespace plimsoll::gpu
