// Joining arrays along an axis.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

class Concatenate : public Primitive {
 public:
  Concatenate(Stream stream, int axis) : Primitive(stream), axis_(axis) {}
  const char* name() const override { return "Concatenate"; }
  int axis() const { return axis_; }
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  int axis_;
};

}  // namespace plimsoll
