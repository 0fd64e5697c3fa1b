// Quantized weights: MLX's affine form and GGUF's block formats.
#pragma once

#include "plimsoll/quantized.h"
#include "graph/primitive.h"

namespace plimsoll {

struct AffineSpec {
  int group_size;
  int bits;
  bool operator==(const AffineSpec&) const = default;
};

// inputs: w [..., K] of floats. outputs: packed uint32 [..., K * bits / 32], scales and biases [..., K / group_size].
class Quantize : public Primitive {
 public:
  Quantize(Stream stream, AffineSpec spec) : Primitive(stream), spec_(spec) {}
  const char* name() const override { return "Quantize"; }
  const AffineSpec& spec() const { return spec_; }
  bool is_equivalent(const Primitive& other) const override;

 private:
  AffineSpec spec_;
};

// inputs: packed, scales, biases. Differentiable in scales and biases.
class Dequantize : public Primitive {
 public:
  Dequantize(Stream stream, AffineSpec spec) : Primitive(stream), spec_(spec) {}
  const char* name() const override { return "Dequantize"; }
  const AffineSpec& spec() const { return spec_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  AffineSpec spec_;
};

// inputs: x [..., M, K], packed w, scales, biases. With `transpose` w is [N, K] and the output [..., M, N]; without, w
// is [K, N]. Differentiable in x, scales and biases.
class QuantizedMatmul : public Primitive {
 public:
  QuantizedMatmul(Stream stream, AffineSpec spec, bool transpose)
      : Primitive(stream), spec_(spec), transpose_(transpose) {}
  const char* name() const override { return "QuantizedMatmul"; }
  const AffineSpec& spec() const { return spec_; }
  bool transpose() const { return transpose_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  AffineSpec spec_;
  bool transpose_;
};

// inputs: w uint8 [..., row bytes].
class BlockDequantize : public Primitive {
 public:
  BlockDequantize(Stream stream, BlockFormat format) : Primitive(stream), format_(format) {}
  const char* name() const override { return "BlockDequantize"; }
  BlockFormat format() const { return format_; }
  bool is_equivalent(const Primitive& other) const override;

 private:
  BlockFormat format_;
};

// inputs: x [..., K] (with `transpose`) or [..., N], w uint8 [N, row bytes]. outputs: x @ W.T [..., N] or x @ W [...,
// K]. Differentiable in x.
class BlockQuantizedMatmul : public Primitive {
 public:
  BlockQuantizedMatmul(Stream stream, BlockFormat format, bool transpose)
      : Primitive(stream), format_(format), transpose_(transpose) {}
  const char* name() const override { return "BlockQuantizedMatmul"; }
  BlockFormat format() const { return format_; }
  bool transpose() const { return transpose_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  BlockFormat format_;
  bool transpose_;
};

}  // namespace plimsoll
