// Products with quantized weights in the block formats of GGUF files, computed on the bytes as they stand in the file.
// (MLX's affine quantization, quantize / dequantize / quantized_matmul, is declared in ops.h.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "plimsoll/array.h"
#include "plimsoll/device.h"
#include "plimsoll/dtype.h"

namespace plimsoll {

// A row of weights is a sequence of blocks; a block holds a fixed number of consecutive values. With d and m of a block
// (float16) or of a sub-block (float16 times a 6- or 8-bit integer), and q the unsigned integer of a value:
enum class BlockFormat : uint8_t {
  Q4_0,  // d * (q - 8)
  Q4_1,  // d * q + m
  Q5_0,  // d * (q - 16)
  Q5_1,  // d * q + m
  Q8_0,  // d * q, q signed
  Q4_K,  // d * q - m, sub-blocks of 32
  Q5_K,  // d * q - m, sub-blocks of 32
  Q6_K,  // d * (q - 32), sub-blocks of 16
};

int block_values(BlockFormat format);                    // values in a block: 32 or 256
int block_bytes(BlockFormat format);                     // bytes of a block
std::string_view block_format_name(BlockFormat format);  // "Q4_K"
std::optional<BlockFormat> block_format_from_name(std::string_view name);

// x @ dequantize(w).T, accumulated in float32.
// x [..., K] float32, float16 or bfloat16; w uint8 [N, K / block_values * block_bytes], rows contiguous.
// Returns [..., N] of x's dtype. Differentiable in x. Throws std::invalid_argument when shapes or dtypes do not fit.
array block_quantized_matmul(const array& x, const array& w, BlockFormat format, StreamOrDevice s = {});

// The values of w, uint8 [..., row bytes], as [..., K] of `dtype` (float32, float16 or bfloat16). In float32 they are
// exactly those that the format defines (each has at most one rounding).
array block_dequantize(const array& w, BlockFormat format, Dtype dtype = float32, StreamOrDevice s = {});

}  // namespace plimsoll
