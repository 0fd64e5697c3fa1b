#include "plimsoll/nn/layers.h"

#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"

namespace plimsoll::nn {

Linear::Linear(Weight weight, std::optional<array> bias) : weight_(std::move(weight)), bias_(std::move(bias)) {
  if (bias_ && bias_->shape() != Shape{weight_.rows()}) {
    throw std::invalid_argument(fmt::format(
        "[Linear] a bias has one dimension of {} elements, as many as the weight has rows", weight_.rows()));
  }
}

array Linear::operator()(const array& x) const {
  const array y = weight_.product(x);
  return bias_ ? add(y, *bias_) : y;
}

array RMSNorm::operator()(const array& x) const { return fast::rms_norm(x, weight_, eps_); }

}  // namespace plimsoll::nn
