// Conversion between dtypes, choice between arrays, and evenly spaced numbers.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

class AsType : public Primitive {
 public:
  AsType(Stream stream, Dtype dtype) : Primitive(stream), dtype_(dtype) {}
  const char* name() const override { return "AsType"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Dtype dtype_;
};

// inputs: condition (bool_), x, y, all of one shape; x and y of one dtype.
class Select : public Primitive {
 public:
  using Primitive::Primitive;
  const char* name() const override { return "Select"; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive&) const override { return true; }
};

// start + i * step, computed in float64 (in int64 for integers) and rounded once.
class Arange : public Primitive {
 public:
  Arange(Stream stream, double start, double step) : Primitive(stream), start_(start), step_(step) {}
  const char* name() const override { return "Arange"; }
  double start() const { return start_; }
  double step() const { return step_; }
  bool is_equivalent(const Primitive& other) const override;

 private:
  double start_;
  double step_;
};

}  // namespace plimsoll
