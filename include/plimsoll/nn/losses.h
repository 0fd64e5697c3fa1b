// Losses, as MLX names them.
#pragma once

#include "plimsoll/array.h"

namespace plimsoll::nn {

// -log softmax(logits)[target] for each row, in float32: logits [..., V], targets integers [...] -> [...].
// std::invalid_argument when the shapes do not fit; an id outside [0, V) is an error of the evaluation.
array cross_entropy(const array& logits, const array& targets);

}  // namespace plimsoll::nn
