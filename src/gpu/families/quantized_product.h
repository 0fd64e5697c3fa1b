// Products of float rows with quantized weights: kernels/quantized.
#pragma once

#include "gpu/families/quantized_weights.h"
#include "gpu/task.h"

namespace plimsoll::gpu {

// Stages task.outputs[0] = inputs[0] * w^T (`transposed`; w [N, K]) or inputs[0] * w (w [K, N]).
void encode_quantized_product(Task& task, const QuantizedWeights& w, bool transposed);

}  // namespace plimsoll::gpu
