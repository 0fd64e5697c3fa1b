// Element-by-element functions of one operand: one primitive, whose kind says which.
#pragma once

#include "graph/primitive.h"

namespace plimsoll {

// X(kind): the names are MLX's primitives'.
// clang-format off: it lays out the list anew at each run.
#define PLIMSOLL_FOR_EACH_UNARY(X) \
  X(Abs) X(ArcCos) X(ArcCosh) X(ArcSin) X(ArcSinh) X(ArcTan) X(ArcTanh) X(BitwiseInvert) X(Ceil) X(Conjugate) \
  X(Cos) X(Cosh) X(Erf) X(ErfInv) X(Exp) X(Expm1) X(Floor) X(Imag) X(Log) X(Log10) X(Log1p) X(Log2) \
  X(LogicalNot) X(Negative) X(Real) X(Round) X(Rsqrt) X(Sigmoid) X(Sign) X(Sin) X(Sinh) X(Sqrt) X(Square) X(Tan) \
  X(Tanh)
// clang-format on

enum class UnaryKind : uint8_t {
#define PLIMSOLL_ENUMERATOR(kind) k##kind,
  PLIMSOLL_FOR_EACH_UNARY(PLIMSOLL_ENUMERATOR)
#undef PLIMSOLL_ENUMERATOR
};

class Unary : public Primitive {
 public:
  Unary(Stream stream, UnaryKind kind) : Primitive(stream), kind_(kind) {}
  const char* name() const override;
  UnaryKind kind() const { return kind_; }
  void plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  bool is_equivalent(const Primitive& other) const override;

 private:
  UnaryKind kind_;
};

}  // namespace plimsoll
