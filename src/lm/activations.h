// The dtype of activations where the user chose none.
#pragma once

#include "plimsoll/dtype.h"

namespace plimsoll::lm {

// bfloat16 where the default device multiplies it fast, else float32.
Dtype default_activations();

// Throws std::invalid_argument unless it is float32, bfloat16 or float16.
void require_activation_dtype(Dtype dtype);

}  // namespace plimsoll::lm
