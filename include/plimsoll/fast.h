// Fused operations of language models, under MLX's names. Inner sums accumulate in float32 for half types.
#pragma once

#include <optional>
#include <string>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll::fast {

// x / sqrt(mean(x^2) + eps) * weight over the last axis. weight [D] or none.
array rms_norm(const array& x, const std::optional<array>& weight, float eps, StreamOrDevice s = {});

// (x - mean) / sqrt(var + eps) * weight + bias over the last axis. weight, bias [D] or none.
array layer_norm(const array& x, const std::optional<array>& weight, const std::optional<array>& bias, float eps,
                 StreamOrDevice s = {});

// Rotary position embedding of x [..., L, D]: rotates the first `dims` elements of each row by position * frequency,
// with positions offset, offset + 1, ... along L. Frequencies are base^(-2i/dims), or 1 / freqs[i] when freqs [dims /
// 2] is given instead of base. `traditional` rotates neighbouring pairs, otherwise elements i and i + dims / 2.
// Positions are multiplied by `scale`. offset as an array: one integer, or one for each batch entry.
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, int offset,
           const std::optional<array>& freqs = std::nullopt, StreamOrDevice s = {});
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, const array& offset,
           const std::optional<array>& freqs = std::nullopt, StreamOrDevice s = {});

// softmax(scale * q @ k.T + mask) @ v without forming the score matrix for long inputs. queries [B, Hq, L, D],
// keys [B, Hkv, S, D], values [B, Hkv, S, Dv], Hq a multiple of Hkv -> [B, Hq, L, Dv].
// mask_mode "" (none), "causal" (query i sees keys up to S - L + i), or "array" (also implied by mask_arr): boolean
// (true: seen) or additive, broadcastable to [B, Hq, L, S]. A row that sees no key gives zeros (MLX: depends on the
// backend). The gradient is computed in blocks of queries and forms no [L, S] matrix either.
array scaled_dot_product_attention(const array& queries, const array& keys, const array& values, float scale,
                                   const std::string& mask_mode = "", const std::optional<array>& mask_arr = {},
                                   StreamOrDevice s = {});

// x * sigmoid(x) * y, the gate of SwiGLU layers, in one pass.
array swiglu(const array& gate, const array& up, StreamOrDevice s = {});

}  // namespace plimsoll::fast
