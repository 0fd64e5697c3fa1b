// Conversion between dtypes, choice between arrays, and evenly spaced numbers.
#include "graph/ops/convert.h"

#include "gpu/elementwise.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

void encode_astype(const Primitive& primitive, Task& task) {
  require_float64(primitive, task);
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const bool wide = in.dtype == float64 || out.dtype == float64;
  const ElementwiseKernels kernels =
      wide ? ElementwiseKernels{kernels::astype_double_dense, kernels::astype_double_strided}
           : ElementwiseKernels{kernels::astype_dense, kernels::astype_strided};
  launch_elementwise(task, kernels, std::array{in, out}, {.operations_per_element = 4});
}

// Elements of 8 bytes are moved, not computed with: float64 needs nothing of the device.
void encode_select(const Primitive&, Task& task) {
  launch_elementwise(task, {kernels::select_dense, kernels::select_strided},
                     std::array{task.inputs[0], task.inputs[1], task.inputs[2], task.outputs[0]}, {});
}

// A double as the sum of two floats.
struct FloatPair {
  explicit FloatPair(double value)
      : high(static_cast<float>(value)), low(static_cast<float>(value - static_cast<double>(high))) {}
  float high, low;
};

// Number: how the kernel takes start and step.
template <typename Number>
void launch_arange(Task& task, const hal::KernelCode& code, Number start, Number step) {
  const Tensor& out = task.outputs[0];
  struct Parameters {
    uint32_t first_group, count;
    uint64_t output;
    Number start, step;
  } p{0, static_cast<uint32_t>(out.size), 0, start, step};
  Launch launch(task, code, {dtype_code(out.dtype)});
  p.output = launch.writes(out);
  const auto elements = static_cast<double>(out.size);
  launch.run(p, groups_for(out.size, 256), {.operations = 8 * elements, .bytes = elements * out.dtype.size()});
}

void encode_arange(const Primitive& primitive, Task& task) {
  require_float64(primitive, task);
  const auto& range = static_cast<const Arange&>(primitive);
  const Dtype dtype = task.outputs[0].dtype;
  if (task.outputs[0].size == 0) return;
  if (dtype == float64) {
    launch_arange(task, kernels::arange_double, range.start(), range.step());
  } else if (issubdtype(dtype, inexact)) {
    launch_arange(task, kernels::arange_float, FloatPair(range.start()), FloatPair(range.step()));
  } else {
    launch_arange(task, kernels::arange_integer, static_cast<int64_t>(range.start()),
                  static_cast<int64_t>(range.step()));
  }
}

}  // namespace

void register_convert(Table& table) {
  table.add<AsType>(encode_astype);
  table.add<Select>(encode_select);
  table.add<Arange>(encode_arange);
}

}  // namespace plimsoll::gpu
