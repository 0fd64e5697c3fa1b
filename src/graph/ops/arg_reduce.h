// The position of the largest or smallest element along an axis.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// The axis stays, with size 1; its size in the input is not 0.
class ArgReduce : public Primitive {
 public:
  enum class Kind : uint8_t { kArgMax, kArgMin };

  ArgReduce(Stream stream, Kind kind, int axis) : Primitive(stream), kind_(kind), axis_(axis) {}
  const char* name() const override { return kind_ == Kind::kArgMax ? "ArgMax" : "ArgMin"; }
  Kind kind() const { return kind_; }
  int axis() const { return axis_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  Kind kind_;
  int axis_;
};

}  // namespace plimsoll
