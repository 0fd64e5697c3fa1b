// One-pass kernels on contiguous rows of any floating dtype: a row is read from memory once and stays in the cache for
// what else it is needed for. Sums are in float32 (float64 for float64); each result is rounded once. `out` may be `x`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/dtype.h"

namespace plimsoll::cpu {

// out = exp(x - max) / sum(exp(x - max)). NaN in the whole row where x holds NaN or +infinity, or only -infinity.
void softmax_row(Dtype dtype, const std::byte* x, std::byte* out, int64_t length);

// log(sum(exp(x))) to one element at `out`: -infinity of a row of -infinity or of nothing, infinity where x holds it.
void logsumexp_row(Dtype dtype, const std::byte* x, std::byte* out, int64_t length);

// out = x / sqrt(mean(x^2) + eps) * weight; weight [length] of the same dtype, or null.
void rms_norm_row(Dtype dtype, const std::byte* x, const std::byte* weight, std::byte* out, int64_t length, double eps);

// out = (x - mean) / sqrt(var + eps) * weight + bias; weight and bias [length] of the same dtype, or null.
void layer_norm_row(Dtype dtype, const std::byte* x, const std::byte* weight, const std::byte* bias, std::byte* out,
                    int64_t length, double eps);

}  // namespace plimsoll::cpu
