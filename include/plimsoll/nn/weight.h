// A weight matrix, however it is stored. Layers hold one and never ask which kind it is.
#pragma once

#include <optional>
#include <variant>

#include "plimsoll/array.h"
#include "plimsoll/quantized.h"

namespace plimsoll::nn {

// [N, K] of a floating dtype.
struct DenseMatrix {
  array values;
};

// MLX's affine quantization: packed uint32 [N, K * bits / 32], scales and biases [N, K / group_size].
struct AffineMatrix {
  array packed;
  array scales;
  array biases;
  int group_size;
  int bits;
};

// A block format of GGUF: uint8 [N, K / block_values * block_bytes].
struct BlockMatrix {
  array blocks;
  BlockFormat format;
};

class Weight {
 public:
  // std::invalid_argument when the parts do not fit each other or are no matrices.
  explicit Weight(DenseMatrix dense);
  explicit Weight(AffineMatrix affine);
  explicit Weight(BlockMatrix block);

  int rows() const { return rows_; }        // N
  int columns() const { return columns_; }  // K
  bool is_quantized() const { return !std::holds_alternative<DenseMatrix>(stored_); }
  const std::variant<DenseMatrix, AffineMatrix, BlockMatrix>& stored() const { return stored_; }

  // x [..., K] @ W.T -> [..., N] of x's dtype. A dense matrix has x's dtype already (see `with_dtype`), or is converted
  // at each call.
  array product(const array& x) const;

  // Rows by index: ids [...] -> [..., K] of `dtype`. Only the rows taken are expanded.
  array take_rows(const array& ids, Dtype dtype) const;

  // A dense matrix converted once, so that products with x of `dtype` need no conversion. Quantized ones keep their
  // codes; the scales and biases of affine ones are converted.
  Weight with_dtype(Dtype dtype) const;

 private:
  std::variant<DenseMatrix, AffineMatrix, BlockMatrix> stored_;
  int rows_ = 0;
  int columns_ = 0;
};

}  // namespace plimsoll::nn
