// Products of matrices.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// inputs: a [..., M, K] and b, of one dtype; b is [K, N], shared by the whole batch, or has a's leading axes.
class Matmul : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "Matmul"; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  std::vector<array> jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                         const std::vector<int>& argnums) override;
  std::pair<std::vector<array>, std::vector<int>> vmap(const std::vector<array>& inputs,
                                                       const std::vector<int>& axes) override;
  bool is_equivalent(const Primitive&) const override { return true; }
};

// beta * c + alpha * (a @ b), rounded once. inputs: a and b as Matmul's, c of the output's shape; all of one dtype.
class AddMM : public Primitive {
 public:
  AddMM(Stream stream, float alpha, float beta) : Primitive(stream), alpha_(alpha), beta_(beta) {}
  const char* name() const override { return "AddMM"; }
  float alpha() const { return alpha_; }
  float beta() const { return beta_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  float alpha_;
  float beta_;
};

}  // namespace plimsoll
