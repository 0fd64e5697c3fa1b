// Softmax and its normalizer along the last axis; other axes are moved there first.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

class Softmax : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "Softmax"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive&) const override { return true; }
};

// Keeps the last axis with size 1.
class LogSumExp : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "LogSumExp"; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive&) const override { return true; }
};

}  // namespace plimsoll
