#include "graph/ops/norm.h"

#include <array>

#include "cpu/last_axis.h"
#include "cpu/register.h"
#include "cpu/row_kernels.h"

namespace plimsoll::cpu {
namespace {

constexpr size_t kAlignment = 64;

size_t copy_bytes(const Tensor& parameter) {
  if (has_whole_rows(parameter)) return 0;
  return (parameter.size * size_of(parameter.dtype) + kAlignment - 1) / kAlignment * kAlignment;
}

// Weights and biases that are strided are copied to scratch.
size_t parameter_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor>) {
  size_t bytes = 0;
  for (const Tensor& parameter : inputs.subspan(1)) bytes += copy_bytes(parameter);
  return bytes;
}

// The elements of input `index` side by side; null for -1. Takes what it needs off `scratch`.
const std::byte* whole_parameter(const Task& task, int index, std::span<std::byte>& scratch) {
  if (index < 0) return nullptr;
  const Tensor& parameter = task.inputs[static_cast<size_t>(index)];
  const size_t bytes = copy_bytes(parameter);
  if (bytes == 0) return parameter.data;
  std::byte* copy = scratch.data();
  copy_strided(parameter.data, parameter.strides, copy, Strides{1}, parameter.shape, size_of(parameter.dtype));
  scratch = scratch.subspan(bytes);
  return copy;
}

// Calls row(x, out) for the bytes of every row.
template <typename Row>
void for_each_row_of(const Task& task, Row&& row) {
  const Tensor& out = task.outputs[0];
  const Tensor& in = rows_in_place(task.inputs[0], out);
  const auto itemsize = static_cast<int64_t>(size_of(out.dtype));
  for_each_last_axis(out.shape, std::array{in.strides, out.strides}, [&](const std::array<int64_t, 2>& at) {
    row(in.data + at[0] * itemsize, out.data + at[1] * itemsize);
  });
}

void rms_norm(const Primitive& primitive, const Task& task) {
  const double eps = static_cast<const fast::RMSNorm&>(primitive).eps();
  const Tensor& out = task.outputs[0];
  std::span<std::byte> scratch = task.scratch;
  const std::byte* weight = whole_parameter(task, task.inputs.size() > 1 ? 1 : -1, scratch);
  for_each_row_of(task,
                  [&](const std::byte* x, std::byte* to) { rms_norm_row(out.dtype, x, weight, to, out.dim(-1), eps); });
}

void layer_norm(const Primitive& primitive, const Task& task) {
  const auto& norm = static_cast<const fast::LayerNorm&>(primitive);
  const Tensor& out = task.outputs[0];
  std::span<std::byte> scratch = task.scratch;
  const std::byte* weight = whole_parameter(task, norm.weight_input(), scratch);
  const std::byte* bias = whole_parameter(task, norm.bias_input(), scratch);
  for_each_row_of(task, [&](const std::byte* x, std::byte* to) {
    layer_norm_row(out.dtype, x, weight, bias, to, out.dim(-1), norm.eps());
  });
}

}  // namespace

void register_norm(Table& table) {
  table.add<fast::RMSNorm>(rms_norm, parameter_scratch);
  table.add<fast::LayerNorm>(layer_norm, parameter_scratch);
}

}  // namespace plimsoll::cpu
