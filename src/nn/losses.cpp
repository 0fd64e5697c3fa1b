#include "plimsoll/nn/losses.h"

#include <algorithm>
#include <stdexcept>

#include "plimsoll/ops.h"

namespace plimsoll::nn {

array cross_entropy(const array& logits, const array& targets) {
  if (logits.ndim() != targets.ndim() + 1 ||
      !std::equal(targets.shape().begin(), targets.shape().end(), logits.shape().begin())) {
    throw std::invalid_argument("[cross_entropy] logits must have the shape of the targets and one more dimension");
  }
  const array wide = astype(logits, float32);
  const array chosen = take_along_axis(wide, expand_dims(targets, -1), -1);
  return subtract(logsumexp(wide, -1), squeeze(chosen, -1));
}

}  // namespace plimsoll::nn
