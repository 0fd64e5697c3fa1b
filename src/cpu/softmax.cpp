#include "graph/ops/softmax.h"

#include <array>

#include "cpu/last_axis.h"
#include "cpu/register.h"
#include "cpu/row_kernels.h"

namespace plimsoll::cpu {
namespace {

void softmax(const Primitive&, const Task& task) {
  const Tensor& out = task.outputs[0];
  const Tensor& in = rows_in_place(task.inputs[0], out);
  const auto itemsize = static_cast<int64_t>(size_of(out.dtype));
  for_each_last_axis(out.shape, std::array{in.strides, out.strides}, [&](const std::array<int64_t, 2>& at) {
    softmax_row(out.dtype, in.data + at[0] * itemsize, out.data + at[1] * itemsize, out.dim(-1));
  });
}

// Rows that are strided are copied to scratch.
size_t logsumexp_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor>) {
  const Tensor& in = inputs[0];
  return has_whole_rows(in) ? 0 : in.size * size_of(in.dtype);
}

void logsumexp(const Primitive&, const Task& task) {
  Tensor in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (out.size == 0) return;
  const auto itemsize = static_cast<int64_t>(size_of(in.dtype));
  if (!has_whole_rows(in)) {
    const Strides strides = row_major_strides(in.shape);
    copy_strided(in.data, in.strides, task.scratch.data(), strides, in.shape, size_of(in.dtype));
    in.data = task.scratch.data();
    in.strides = strides;
  }
  for_each_last_axis(in.shape, std::array{in.strides, out.strides}, [&](const std::array<int64_t, 2>& at) {
    logsumexp_row(in.dtype, in.data + at[0] * itemsize, out.data + at[1] * itemsize, in.dim(-1));
  });
}

}  // namespace

void register_softmax(Table& table) {
  table.add<Softmax>(softmax);
  table.add<LogSumExp>(logsumexp, logsumexp_scratch);
}

}  // namespace plimsoll::cpu
