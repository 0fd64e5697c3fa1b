// Views that strides could not express: copies into row-major order.
#include "graph/ops/views.h"

#include "cpu/copy.h"
#include "cpu/register.h"

namespace plimsoll::cpu {
namespace {

void copy_row_major(const Primitive&, const Task& task) {
  // Both sides are read in row-major order, so a reshape is a copy from the input's shape to a dense output.
  const Tensor& source = task.inputs[0];
  copy_strided(source.data, source.strides, task.outputs[0].data, row_major_strides(source.shape), source.shape,
               size_of(source.dtype));
}

}  // namespace

void register_views(Table& table) {
  table.add<Contiguous>(copy_row_major);
  table.add<Reshape>(copy_row_major);
}

}  // namespace plimsoll::cpu
