// Functions of two operands.
#include "graph/ops/binary.h"

#include "gpu/elementwise.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

using K = BinaryKind;

// kernels/binary/kinds.glsl counts as the enumeration does.
static_assert(static_cast<int>(K::kFloorDivide) == 7 && static_cast<int>(K::kMaximum) == 16 &&
              static_cast<int>(K::kSwiGLU) == 24);

ElementwiseKernels kernels_for(Dtype dtype) {
  if (dtype == float64) return {kernels::binary_double_dense, kernels::binary_double_strided};
  if (dtype == complex64) return {kernels::binary_complex_dense, kernels::binary_complex_strided};
  if (issubdtype(dtype, floating)) return {kernels::binary_float_dense, kernels::binary_float_strided};
  return {kernels::binary_integer_dense, kernels::binary_integer_strided};
}

// Operations of the functions, roughly: what separates them from memory traffic.
double operations_of(K kind, Dtype dtype) {
  switch (kind) {
    case K::kArcTan2:
    case K::kLogAddExp:
    case K::kPower:
    case K::kRemainder:
    case K::kSwiGLU:
      return dtype == float64 || dtype == complex64 ? 300 : 60;
    case K::kDivide:
    case K::kFloorDivide:
      return 20;
    default:
      return 1;
  }
}

void encode(const Primitive& primitive, Task& task) {
  require_float64(primitive, task);
  const K kind = static_cast<const Binary&>(primitive).kind();
  const Tensor& a = task.inputs[0];
  launch_elementwise(task, kernels_for(a.dtype), std::array{a, task.inputs[1], task.outputs[0]},
                     {.kind = static_cast<uint32_t>(kind), .operations_per_element = operations_of(kind, a.dtype)});
}

}  // namespace

void register_binary(Table& table) { table.add<Binary>(encode); }

}  // namespace plimsoll::gpu
