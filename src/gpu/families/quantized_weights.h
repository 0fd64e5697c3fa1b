// Quantized weights as the kernels see them (kernels/quantized/parcel.glsl).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "gpu/launch.h"
#include "graph/ops/quantized.h"

namespace plimsoll::gpu {

// Rows of values; `scales` and `biases` are null in GGUF's formats, whose blocks hold them. The tensors must live on.
struct QuantizedWeights {
  const Tensor* packed = nullptr;
  const Tensor* scales = nullptr;
  const Tensor* biases = nullptr;
  uint32_t format = 0;       // kernels: FORMAT
  uint32_t group_shift = 0;  // kernels: group_shift
  int64_t values = 0;        // of a row: a whole number of parcels

  Dtype scale_dtype() const { return scales ? scales->dtype : float32; }
};

// Values that a kernel takes at a time.
inline constexpr int64_t kParcel = 32;

// Throw std::invalid_argument naming `op` for rows that are not contiguous along the last axis.
QuantizedWeights affine_weights(const char* op, const Tensor& packed, const Tensor& scales, const Tensor& biases,
                                const AffineSpec& spec);
QuantizedWeights block_weights(const char* op, const Tensor& packed, BlockFormat format);

// Evenly spaced rows of weights: elements from the tensors' element [0, 0, ...], and between rows.
struct WeightRows {
  int64_t packed = 0, scales = 0, biases = 0;
  int64_t packed_row = 0, scale_row = 0, bias_row = 0;
};
// Of a matrix.
WeightRows matrix_rows(const QuantizedWeights& w);

// The four constants that every kernel of the family starts with.
using FormatConstants = std::array<uint32_t, 4>;
FormatConstants format_constants(const QuantizedWeights& w, const WeightRows& rows, Dtype dtype);

// Fills the members of a parameter block that name weights, and states that they are read.
template <typename Parameters>
void read_weights(Launch& launch, const QuantizedWeights& w, const WeightRows& rows, Parameters& p) {
  const auto start = [&](const Tensor& t, int64_t elements) {
    return launch.reads(t) + static_cast<uint64_t>(elements * static_cast<int64_t>(t.dtype.size()));
  };
  p.w = start(*w.packed, rows.packed);
  p.w_row = rows.packed_row * static_cast<int64_t>(w.packed->dtype.size());
  if (!w.scales) return;
  p.group_shift = w.group_shift;
  p.scales = start(*w.scales, rows.scales);
  p.biases = start(*w.biases, rows.biases);
  p.scale_row = rows.scale_row;
  p.bias_row = rows.bias_row;
}

// Bytes of all rows, scales included.
double weight_bytes(const QuantizedWeights& w);

}  // namespace plimsoll::gpu
