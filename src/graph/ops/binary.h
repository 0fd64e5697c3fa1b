// Element-by-element functions of two operands of one shape and dtype: one primitive, whose kind says which.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// X(kind): the names are MLX's primitives'; FloorDivide and SwiGLU are our own.
// clang-format off: it lays out the list anew at each run.
#define PLIMSOLL_FOR_EACH_BINARY(X) \
  X(Add) X(ArcTan2) X(BitwiseAnd) X(BitwiseOr) X(BitwiseXor) X(Divide) X(Equal) X(FloorDivide) X(Greater) \
  X(GreaterEqual) X(LeftShift) X(Less) X(LessEqual) X(LogAddExp) X(LogicalAnd) X(LogicalOr) X(Maximum) \
  X(Minimum) X(Multiply) X(NotEqual) X(Power) X(Remainder) X(RightShift) X(Subtract) X(SwiGLU)
// clang-format on

enum class BinaryKind : uint8_t {
#define PLIMSOLL_ENUMERATOR(kind) k##kind,
  PLIMSOLL_FOR_EACH_BINARY(PLIMSOLL_ENUMERATOR)
#undef PLIMSOLL_ENUMERATOR
};

// Whether the result is bool_ whatever the operands are.
constexpr bool is_comparison(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kEqual:
    case BinaryKind::kNotEqual:
    case BinaryKind::kGreater:
    case BinaryKind::kGreaterEqual:
    case BinaryKind::kLess:
    case BinaryKind::kLessEqual:
    case BinaryKind::kLogicalAnd:
    case BinaryKind::kLogicalOr:
      return true;
    default:
      return false;
  }
}

class Binary : public Primitive {
 public:
  Binary(Stream stream, BinaryKind kind) : Primitive(stream), kind_(kind) {}
  const char* name() const override;
  BinaryKind kind() const { return kind_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  BinaryKind kind_;
};

}  // namespace plimsoll
