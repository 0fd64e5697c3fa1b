// Running sums, products and extrema along an axis.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

enum class ScanKind : uint8_t { kCumSum, kCumProd, kCumMax, kCumMin };

class Scan : public Primitive {
 public:
  // `reverse` runs from the end; without `inclusive` element i combines those before i (behind i, in reverse), of which
  // the first has none: it is what changes nothing when combined.
  Scan(Stream stream, ScanKind kind, int axis, bool reverse, bool inclusive)
      : Primitive(stream), kind_(kind), axis_(axis), reverse_(reverse), inclusive_(inclusive) {}
  const char* name() const override;
  ScanKind kind() const { return kind_; }
  int axis() const { return axis_; }
  bool reverse() const { return reverse_; }
  bool inclusive() const { return inclusive_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  ScanKind kind_;
  int axis_;
  bool reverse_;
  bool inclusive_;
};

}  // namespace plimsoll
