// Normalization of rows.
#include "graph/ops/norm.h"

#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/families/row_launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

struct Parameters {
  uint32_t first_group = 0;
  uint32_t rows = 0;
  uint32_t width = 0;
  float eps = 0;
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t weight = 0;
  uint64_t bias = 0;
  int64_t in_step = 0;
  int32_t weight_step = 0;
  int32_t bias_step = 0;
  RowAxes<2> axes;
};
static_assert(sizeof(Parameters) <= hal::kDirectParameterBytes);

struct Norm {
  float eps;
  bool center;
  const Tensor* weight;
  const Tensor* bias;
};

// Whether packs of a weight or bias that may be absent lie at multiples of 16 bytes.
bool is_aligned(const Tensor* parameter) {
  return parameter == nullptr || (last_step(*parameter) == 1 && address_of(*parameter) % 16 == 0);
}

int32_t parameter_step(const Primitive& primitive, const Tensor& parameter) {
  const int64_t step = last_step(parameter);
  if (step >= std::numeric_limits<int32_t>::min() && step <= std::numeric_limits<int32_t>::max()) {
    return static_cast<int32_t>(step);
  }
  throw std::invalid_argument("[" + std::string(primitive.name()) + "] the elements of a weight lie " +
                              std::to_string(step) + " elements apart: make it contiguous");
}

void stage_block(const Primitive& primitive, Task& task, const Norm& norm, const RowBlocks& rows, int64_t block) {
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const uint32_t pack = pack_of(in.dtype);
  const auto width = static_cast<uint64_t>(in.dim(-1));
  const uint32_t lanes = lanes_for(row_count(in), groups_for(width, pack), task.device);
  const bool vector = has_aligned_rows(in, rows, 0) && has_aligned_rows(out, rows, 1) && is_aligned(norm.weight) &&
                      is_aligned(norm.bias);
  Launch launch(task, float_row_code(primitive, in.dtype, task.device, kernels::norm_float, kernels::norm_double),
                {dtype_code(in.dtype), lanes, pack, uint32_t{vector}, uint32_t{norm.center},
                 uint32_t{norm.weight != nullptr}, uint32_t{norm.bias != nullptr}});
  Parameters p;
  p.rows = rows.rows(block);
  p.width = static_cast<uint32_t>(width);
  p.eps = norm.eps;
  p.in = launch.reads(in) + row_bytes(in, rows, block, 0);
  p.out = write_rows(launch, out, rows, block, 1);
  p.in_step = last_step(in);
  if (norm.weight) {
    p.weight = launch.reads(*norm.weight);
    p.weight_step = parameter_step(primitive, *norm.weight);
  }
  if (norm.bias) {
    p.bias = launch.reads(*norm.bias);
    p.bias_step = parameter_step(primitive, *norm.bias);
  }
  p.axes = rows.axes<2>();
  const double elements = static_cast<double>(p.rows) * static_cast<double>(width);
  launch.run(p, groups_for(p.rows, kLaneGroup / lanes),
             {.operations = 5 * elements, .bytes = 2 * elements * static_cast<double>(in.dtype.size())});
}

void encode(const Primitive& primitive, Task& task, const Norm& norm) {
  if (task.outputs[0].size == 0) return;
  const RowBlocks rows = rows_around_last({task.inputs[0], task.outputs[0]});
  for (int64_t block = 0; block < rows.count(); ++block) stage_block(primitive, task, norm, rows, block);
}

const Tensor* input_or_none(const Task& task, int index) {
  return index < 0 ? nullptr : &task.inputs[static_cast<size_t>(index)];
}

void rms_norm(const Primitive& primitive, Task& task) {
  const float eps = static_cast<const fast::RMSNorm&>(primitive).eps();
  encode(primitive, task, {eps, false, input_or_none(task, task.inputs.size() > 1 ? 1 : -1), nullptr});
}

void layer_norm(const Primitive& primitive, Task& task) {
  const auto& norm = static_cast<const fast::LayerNorm&>(primitive);
  encode(primitive, task,
         {norm.eps(), true, input_or_none(task, norm.weight_input()), input_or_none(task, norm.bias_input())});
}

}  // namespace

void register_norm(Table& table) {
  table.add<fast::RMSNorm>(rms_norm);
  table.add<fast::LayerNorm>(layer_norm);
}

}  // namespace plimsoll::gpu
