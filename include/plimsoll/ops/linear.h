// Products of matrices. Leading axes are batch axes and broadcast. float16 and bfloat16 accumulate in float32.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll {

// a [..., M, K] @ b [..., K, N] -> [..., M, N]; one-dimensional operands act as a row (a) or a column (b). Throws
// std::invalid_argument when the inner dimensions differ. K = 0 gives zeros.
array matmul(const array& a, const array& b, StreamOrDevice s = {});
// beta * c + alpha * (a @ b)
array addmm(const array& c, const array& a, const array& b, const float& alpha = 1.0f, const float& beta = 1.0f,
            StreamOrDevice s = {});
array outer(const array& a, const array& b, StreamOrDevice s = {});
array inner(const array& a, const array& b, StreamOrDevice s = {});
array tensordot(const array& a, const array& b, const std::vector<int>& axes_a, const std::vector<int>& axes_b,
                StreamOrDevice s = {});
array tensordot(const array& a, const array& b, int axis = 2, StreamOrDevice s = {});

// Affine quantization as MLX stores it: element = scale * q + bias for each group of `group_size` (32, 64, 128)
// elements along the last axis, q in `bits` (2, 3, 4, 5, 6, 8) bits packed little-endian into uint32. w [..., N, K] ->
// {packed [..., N, K * bits / 32], scales [..., N, K / group_size], biases [..., N, K / group_size]}. Throws
// std::invalid_argument when K is not a multiple of the group size.
std::vector<array> quantize(const array& w, int group_size = 64, int bits = 4, StreamOrDevice s = {});
array dequantize(const array& w, const array& scales, const array& biases, int group_size = 64, int bits = 4,
                 StreamOrDevice s = {});
// x [..., M, K] @ dequantize(w).T with w [N, K] quantized, or without transpose x [..., M, K] @ dequantize(w) with
// w [K, N] quantized along N.
array quantized_matmul(const array& x, const array& w, const array& scales, const std::optional<array>& biases,
                       bool transpose = true, int group_size = 64, int bits = 4, StreamOrDevice s = {});

}  // namespace plimsoll
