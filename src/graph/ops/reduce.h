// Elements combined along axes: one primitive, whose kind says how.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

enum class ReduceKind : uint8_t { kAll, kAny, kSum, kProd, kMax, kMin };

// Reduced axes stay, with size 1. All and Any take bool_; Max and Min keep the dtype; Sum and Prod combine wider than
// the output, whose dtype need not be the input's, and round once.
class Reduce : public Primitive {
 public:
  // `axes` ascending and not empty.
  Reduce(Stream stream, ReduceKind kind, std::vector<int> axes)
      : Primitive(stream), kind_(kind), axes_(std::move(axes)) {}
  const char* name() const override;
  ReduceKind kind() const { return kind_; }
  const std::vector<int>& axes() const { return axes_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  ReduceKind kind_;
  std::vector<int> axes_;
};

}  // namespace plimsoll
