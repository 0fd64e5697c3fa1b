// Functions of one operand.
#include "graph/ops/unary.h"

#include "gpu/elementwise.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

using K = UnaryKind;

// kernels/unary/kinds.glsl counts as the enumeration does.
static_assert(static_cast<int>(K::kCeil) == 8 && static_cast<int>(K::kLog) == 18 && static_cast<int>(K::kTanh) == 34);

// What kernels/unary/angle.glsl holds.
bool is_angle_function(K kind) {
  switch (kind) {
    case K::kArcCos:
    case K::kArcCosh:
    case K::kArcSin:
    case K::kArcSinh:
    case K::kArcTan:
    case K::kArcTanh:
    case K::kCos:
    case K::kCosh:
    case K::kSin:
    case K::kSinh:
    case K::kTan:
      return true;
    default:
      return false;
  }
}

ElementwiseKernels kernels_for(K kind, Dtype dtype) {
  if (dtype == float64) return {kernels::unary_double_dense, kernels::unary_double_strided};
  if (dtype == complex64) return {kernels::unary_complex_dense, kernels::unary_complex_strided};
  if (!issubdtype(dtype, floating)) return {kernels::unary_integer_dense, kernels::unary_integer_strided};
  if (is_angle_function(kind)) return {kernels::unary_angle_dense, kernels::unary_angle_strided};
  return {kernels::unary_float_dense, kernels::unary_float_strided};
}

// Float operations of the functions, roughly: what separates them from memory traffic.
double operations_of(K kind, Dtype dtype) {
  switch (kind) {
    case K::kAbs:
    case K::kBitwiseInvert:
    case K::kCeil:
    case K::kConjugate:
    case K::kFloor:
    case K::kImag:
    case K::kLogicalNot:
    case K::kNegative:
    case K::kReal:
    case K::kRound:
    case K::kSign:
    case K::kSquare:
      return 1;
    case K::kRsqrt:
    case K::kSqrt:
      return 10;
    default:
      return dtype == float64 || dtype == complex64 ? 200 : 30;
  }
}

void encode(const Primitive& primitive, Task& task) {
  require_float64(primitive, task);
  const K kind = static_cast<const Unary&>(primitive).kind();
  const Tensor& in = task.inputs[0];
  launch_elementwise(task, kernels_for(kind, in.dtype), std::array{in, task.outputs[0]},
                     {.kind = static_cast<uint32_t>(kind), .operations_per_element = operations_of(kind, in.dtype)});
}

}  // namespace

void register_unary(Table& table) { table.add<Unary>(encode); }

}  // namespace plimsoll::gpu
