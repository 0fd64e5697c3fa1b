#include <algorithm>
#include <bit>

#include "gpu/families/attention_launches.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu::attention {
namespace {

constexpr uint64_t kRowsGroup = 128;
constexpr uint64_t kJoinGroup = 256;
constexpr uint64_t kTileKeys = 128;
// Elements of a query, and of a row of sums, that an invocation holds for all of its rows: registers.
constexpr uint64_t kHeldElements = 64;
// Workgroups beyond which the keys are not cut finer.
constexpr uint64_t kEnoughGroups = 1024;

// The constants of attention_rows.comp, and how the work is cut.
struct RowsPlan {
  uint64_t rows, lanes, pieces, columns, blocks;
  uint64_t lists;  // of rows, for a key/value head
  uint64_t part;   // keys
  uint64_t parts;
};

uint64_t cut_keys(const Problem& p, uint64_t lists) {
  uint64_t part = kTileKeys;
  const auto groups = [&] { return p.batch() * p.kv_heads() * lists * groups_for(p.keys(), part); };
  while (part < p.keys() && groups() > kEnoughGroups) part *= 2;
  return part;
}

RowsPlan plan_rows(const Problem& p, const hal::DeviceInfo& device) {
  RowsPlan plan{};
  const uint64_t width = device.min_subgroup_size > 0 ? device.min_subgroup_size : device.subgroup_size;
  const uint64_t packets = groups_for(p.dim(), p.packet()), value_packets = groups_for(p.value_dim(), p.packet());
  plan.lanes = std::min({std::bit_floor(std::max<uint64_t>(width, 1)), std::bit_ceil(packets), uint64_t{16}});
  plan.pieces = std::max<uint64_t>(1, groups_for(packets, plan.lanes));
  plan.columns = std::min(std::bit_ceil(value_packets), kRowsGroup);
  plan.blocks = groups_for(value_packets, plan.columns);
  const uint64_t held = std::max(plan.pieces, plan.blocks) * p.packet();
  plan.rows = std::min<uint64_t>(std::bit_ceil(p.rows()), 8);
  while (plan.rows > 1 && plan.rows * held > kHeldElements) plan.rows /= 2;
  plan.lists = groups_for(p.rows(), plan.rows);
  plan.part = cut_keys(p, plan.lists);
  plan.parts = std::max<uint64_t>(1, groups_for(p.keys(), plan.part));
  return plan;
}

// Scratch: the sums of all parts, then their maxima and totals.
uint64_t sum_bytes(const Problem& p, const RowsPlan& plan) {
  return p.lines() * plan.parts * p.value_dim() * (p.is_float64() ? 8 : 4);
}
uint64_t state_bytes(const Problem& p, const RowsPlan& plan) {
  return p.lines() * plan.parts * 2 * (p.is_float64() ? 8 : 4);
}

void join_parts(const Problem& p, Parameters parameters, const Memory& sums, const Memory& states, Task& task) {
  const auto& code = p.is_float64() ? kernels::attention_join_double : kernels::attention_join_float;
  const auto columns = static_cast<uint32_t>(std::min(std::bit_ceil(p.value_dim()), kJoinGroup));
  Launch launch(task, code, {dtype_code(p.out.dtype), false, kNoMask, columns});
  parameters.sums = launch.reads(sums);
  parameters.states = launch.reads(states);
  parameters.out = launch.writes(p.out);
  const auto partial = static_cast<double>(sums.bytes + states.bytes);
  launch.run(parameters, p.lines(), {partial / 2, partial + static_cast<double>(p.out.size * p.out.dtype.size())});
}

}  // namespace

void launch_rows(const Problem& p, Task& task) {
  const RowsPlan plan = plan_rows(p, task.device);
  const bool partial = plan.parts > 1;
  const auto& code = p.is_float64() ? kernels::attention_rows_double : kernels::attention_rows_float;
  const auto constant = [](uint64_t value) { return static_cast<uint32_t>(value); };
  Launch launch(task, code,
                {dtype_code(p.out.dtype), has_whole_packets(p), p.mask_kind(), constant(plan.rows),
                 constant(plan.lanes), constant(plan.pieces), constant(plan.columns), constant(plan.blocks)});
  Parameters parameters = parameters_of(p);
  parameters.part = static_cast<uint32_t>(plan.part);
  parameters.parts = static_cast<uint32_t>(plan.parts);
  read_inputs(p, launch, parameters);
  const Memory sums = task.scratch.part(0, partial ? sum_bytes(p, plan) : 0);
  const Memory states = task.scratch.part(sums.bytes, partial ? state_bytes(p, plan) : 0);
  if (partial) {
    parameters.sums = launch.writes(sums);
    parameters.states = launch.writes(states);
  } else {
    parameters.out = launch.writes(p.out);
  }
  hal::Cost cost = cost_of(p, 0, p.queries());
  cost.bytes += static_cast<double>(sums.bytes + states.bytes);
  launch.run(parameters, p.batch() * p.kv_heads() * plan.lists * plan.parts, cost);
  if (partial) join_parts(p, parameters, sums, states, task);
}

size_t rows_scratch_bytes(const Problem& p, const hal::DeviceInfo& device) {
  const RowsPlan plan = plan_rows(p, device);
  return plan.parts > 1 ? sum_bytes(p, plan) + state_bytes(p, plan) : 0;
}

}  // namespace plimsoll::gpu::attention
