// Normalization of rows.
#pragma once

#include "graph/primitive.h"

namespace plimsoll::fast {

// inputs: x, and the weight if there is one.
class RMSNorm : public Primitive {
 public:
  RMSNorm(Stream stream, float eps) : Primitive(stream), eps_(eps) {}
  const char* name() const override { return "RMSNorm"; }
  float eps() const { return eps_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  float eps_;
};

// inputs: x, then the weight and the bias, as far as there are any.
class LayerNorm : public Primitive {
 public:
  LayerNorm(Stream stream, float eps, bool has_weight, bool has_bias)
      : Primitive(stream), eps_(eps), has_weight_(has_weight), has_bias_(has_bias) {}
  const char* name() const override { return "LayerNorm"; }
  float eps() const { return eps_; }
  // Which input is the weight (the bias), or -1.
  int weight_input() const { return has_weight_ ? 1 : -1; }
  int bias_input() const { return has_bias_ ? 1 + has_weight_ : -1; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  float eps_;
  bool has_weight_;
  bool has_bias_;
};

}  // namespace plimsoll::fast
