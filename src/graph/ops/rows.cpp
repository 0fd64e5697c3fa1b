#include "graph/ops/rows.h"

namespace plimsoll {

void plan_rows(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) {
  const array& x = inputs[0];
  if (x.shape().back() == 1 || x.strides().back() == 1) plan_elementwise(inputs.first(1), outputs, plans);
}

}  // namespace plimsoll
