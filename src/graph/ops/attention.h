// Scaled dot-product attention.
#pragma once

#include "graph/primitive.h"

namespace plimsoll::fast {

// inputs: queries [B, Hq, L, D], keys [B, Hkv, S, D], values [B, Hkv, S, Dv], and the mask [B, Hq, L, S], if there is
// one, boolean or of the queries' dtype. The output lies in memory as [B, L, Hq, Dv], so that joining the heads of a
// token afterwards is a view.
class ScaledDotProductAttention : public Primitive {
 public:
  ScaledDotProductAttention(Stream stream, float scale, bool causal)
      : Primitive(stream), scale_(scale), causal_(causal) {}
  const char* name() const override { return "ScaledDotProductAttention"; }
  float scale() const { return scale_; }
  bool is_causal() const { return causal_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;

  // Computed in blocks of queries, each gradient from its own chain of blocks, so that the memory in use stays that of
  // a few blocks of scores, not of all L * S. Scores are computed again for each gradient.
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  float scale_;
  bool causal_;
};

}  // namespace plimsoll::fast
