// The position of the largest or smallest element along an axis.
#include "graph/ops/arg_reduce.h"

#include "gpu/families/reduction.h"
#include "gpu/launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr ReductionChoice kChoice{.keep_order = true};
constexpr Dtype kKey = uint64;

Reduction plan_of(const Primitive& primitive, const Tensor& in, const Tensor& out, const hal::DeviceInfo& device) {
  const int axis = static_cast<const ArgReduce&>(primitive).axis();
  return plan_reduction(primitive.name(), in, out, {&axis, 1}, device, kChoice);
}

// The candidates of chunks: keys, then positions.
struct Candidates {
  Memory keys;
  Memory positions;
};

Candidates candidates_of(const Task& task, const Reduction& plan) {
  const uint64_t key_bytes = plan.partials() * sizeof(uint64_t);
  return {task.scratch.part(0, key_bytes), task.scratch.part(key_bytes, plan.partials() * sizeof(uint32_t))};
}

Launch launch_of(Task& task, const Reduction& plan, Dtype dtype, bool smallest, bool joins) {
  return Launch(task, kernels::arg_reduce,
                {dtype_code(dtype), uint32_t{smallest}, plan.lanes, uint32_t{plan.adjacent}, uint32_t{joins}});
}

void join(Task& task, const Reduction& first, bool smallest) {
  const Tensor& out = task.outputs[0];
  Reduction plan = plan_joining(first, kKey, task.device, false);
  const Candidates candidates = candidates_of(task, first);
  Launch launch = launch_of(task, plan, kKey, smallest, true);
  plan.parameters.in = launch.reads(candidates.keys);
  plan.parameters.positions_in = launch.reads(candidates.positions);
  plan.parameters.out = launch.writes(out);
  const auto count = static_cast<double>(first.partials());
  launch.run(plan.parameters, plan.groups(), {.operations = count, .bytes = 12 * count});
}

void encode(const Primitive& primitive, Task& task) {
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (out.size == 0) return;
  const bool smallest = static_cast<const ArgReduce&>(primitive).kind() == ArgReduce::Kind::kArgMin;
  Reduction plan = plan_of(primitive, in, out, task.device);
  Launch launch = launch_of(task, plan, in.dtype, smallest, false);
  plan.parameters.in = launch.reads(in);
  if (plan.parameters.chunks > 1) {
    const Candidates candidates = candidates_of(task, plan);
    plan.parameters.out = launch.writes(candidates.keys);
    plan.parameters.positions_out = launch.writes(candidates.positions);
  } else {
    plan.parameters.out = launch.writes(out);
  }
  const auto bytes = static_cast<double>(in.size * in.dtype.size());
  launch.run(plan.parameters, plan.groups(), {.operations = 4.0 * static_cast<double>(in.size), .bytes = bytes});
  if (plan.parameters.chunks > 1) join(task, plan, smallest);
}

size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
               const hal::DeviceInfo& device) {
  if (outputs[0].size == 0) return 0;
  const Reduction plan = plan_of(primitive, inputs[0], outputs[0], device);
  return plan.parameters.chunks > 1 ? plan.partials() * (sizeof(uint64_t) + sizeof(uint32_t)) : 0;
}

}  // namespace

void register_arg_reduce(Table& table) { table.add<ArgReduce>(encode, scratch); }

}  // namespace plimsoll::gpu
