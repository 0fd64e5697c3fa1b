// Sums, products and extrema along any axes.
#include "graph/ops/reduce.h"

#include <stdexcept>
#include <string>

#include "gpu/families/reduction.h"
#include "gpu/launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

// As kernels/reduce.comp numbers them.
enum class Fold : uint32_t { kSum, kProd, kMax, kMin };

Fold fold_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum:
      return Fold::kSum;
    case ReduceKind::kProd:
      return Fold::kProd;
    case ReduceKind::kMax:
    case ReduceKind::kAny:
      return Fold::kMax;
    case ReduceKind::kMin:
    case ReduceKind::kAll:
      return Fold::kMin;
  }
  __builtin_unreachable();
}

// The dtype that totals have between the steps of a reduction.
Dtype total_dtype(Dtype dtype) {
  if (dtype == float64 || dtype == complex64 || dtype == uint64) return dtype;
  return issubdtype(dtype, floating) ? float32 : int64;
}

const hal::KernelCode& code_for(const Primitive& primitive, Dtype in, Dtype out, const hal::DeviceInfo& device) {
  if (in == complex64 && out == complex64) return kernels::reduce_complex;
  if (in == float64 && out == float64) {
    if (device.has_float64) return kernels::reduce_double;
    throw std::invalid_argument("[" + std::string(primitive.name()) + "] needs float64, which " + device.name +
                                " lacks");
  }
  const bool plain_out = out != complex64 && out != float64;
  if (issubdtype(in, floating) && issubdtype(out, floating) && plain_out) return kernels::reduce_float;
  if (!issubdtype(in, inexact) && plain_out && (out == float32 || !issubdtype(out, inexact)))
    return kernels::reduce_int;
  throw std::invalid_argument("[" + std::string(primitive.name()) + "] from " + std::string(name_of(in)) + " to " +
                              std::string(name_of(out)) + " does not run on a GPU");
}

Reduction plan_of(const Primitive& primitive, const Tensor& in, const Tensor& out, const hal::DeviceInfo& device) {
  const auto& axes = static_cast<const Reduce&>(primitive).axes();
  return plan_reduction(primitive.name(), in, out, axes, device, {.may_pack = true});
}

// One step: `in` as it says, from an address already stated.
struct Step {
  const Reduction& plan;
  Fold fold;
  Dtype in;
  Dtype out;
};

Launch launch_of(Task& task, const hal::KernelCode& code, const Step& step, uint64_t first_address) {
  const bool aligned = step.plan.packs_aligned && first_address % 16 == 0;
  return Launch(task, code,
                {static_cast<uint32_t>(step.fold), dtype_code(step.in), dtype_code(step.out), step.plan.lanes,
                 uint32_t{step.plan.adjacent}, step.plan.pack, uint32_t{aligned}});
}

void encode(const Primitive& primitive, Task& task) {
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (out.size == 0) return;
  const Fold fold = fold_of(static_cast<const Reduce&>(primitive).kind());
  const hal::KernelCode& code = code_for(primitive, in.dtype, out.dtype, task.device);
  Reduction plan = plan_of(primitive, in, out, task.device);
  const Dtype wide = total_dtype(in.dtype);
  const bool cut = plan.parameters.chunks > 1;
  const auto in_bytes = static_cast<double>(in.size * in.dtype.size());
  const auto base = static_cast<uint64_t>(plan.base * static_cast<int64_t>(in.dtype.size()));

  Launch launch = launch_of(task, code, {plan, fold, in.dtype, cut ? wide : out.dtype}, address_of(in) + base);
  plan.parameters.in = launch.reads(in) + base;
  const Memory partials = task.scratch.part(0, cut ? plan.partials() * wide.size() : 0);
  plan.parameters.out = cut ? launch.writes(partials) : launch.writes(out);
  launch.run(plan.parameters, plan.groups(), {.operations = static_cast<double>(in.size), .bytes = in_bytes});
  if (!cut) return;

  Reduction joining = plan_joining(plan, wide, task.device, true);
  Launch join = launch_of(task, code, {joining, fold, wide, out.dtype}, partials.address);
  joining.parameters.in = join.reads(partials);
  joining.parameters.out = join.writes(out);
  join.run(joining.parameters, joining.groups(),
           {.operations = static_cast<double>(plan.partials()), .bytes = static_cast<double>(partials.bytes)});
}

size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
               const hal::DeviceInfo& device) {
  if (outputs[0].size == 0) return 0;
  const Reduction plan = plan_of(primitive, inputs[0], outputs[0], device);
  return plan.parameters.chunks > 1 ? plan.partials() * total_dtype(inputs[0].dtype).size() : 0;
}

}  // namespace

void register_reduce(Table& table) { table.add<Reduce>(encode, scratch); }

}  // namespace plimsoll::gpu
