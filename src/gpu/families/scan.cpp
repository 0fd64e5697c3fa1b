// Running sums, products and extrema along an axis.
#include "graph/ops/scan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/lanes.h"
#include "gpu/launch.h"
#include "gpu/register.h"
#include "gpu/row_blocks.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kTile = 1024;          // elements that a workgroup takes at once
constexpr uint64_t kLongestAlone = 4096;  // elements that one invocation walks
constexpr uint64_t kShortestAlone = 64;

// As kernels/scan.comp numbers them.
enum class Step : uint32_t { kRow, kTotals, kBefore, kFinish };

struct Parameters {
  uint32_t first_group = 0;
  uint32_t rows = 0;
  uint32_t width = 0;
  uint32_t chunks = 1;
  uint32_t chunk = 0;
  uint32_t unused = 0;
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t totals = 0;
  int64_t in_step = 0;
  int64_t out_step = 0;
  RowAxes<2> axes;
};
static_assert(sizeof(Parameters) <= hal::kDirectParameterBytes);

uint64_t total_bytes(Dtype dtype) { return dtype == complex64 ? 16 : 8; }

const hal::KernelCode& code_for(const Primitive& primitive, Dtype dtype, const hal::DeviceInfo& device) {
  if (dtype == complex64) return kernels::scan_complex;
  if (!issubdtype(dtype, inexact)) return kernels::scan_int;
  if (dtype != float64) return kernels::scan_float;
  if (device.has_float64) return kernels::scan_double;
  throw std::invalid_argument("[" + std::string(primitive.name()) + "] needs float64, which " + device.name + " lacks");
}

// Rows along the scan's axis, and how they are cut; a function of shapes, strides and the device.
struct Plan {
  RowBlocks rows;
  uint64_t row_count = 0;
  uint64_t width = 0;
  bool along = true;  // a workgroup walks a row; else each of its invocations one of neighbouring rows
  uint32_t chunk = 0;
  uint32_t chunks = 1;
};

// Rows that lie closer together than their elements do, and are many, go side by side.
bool walks_along(const Tensor& in, int axis, uint64_t rows) {
  int64_t nearest = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < in.ndim(); ++i) {
    if (i != axis && in.shape[i] > 1 && in.strides[i] != 0) nearest = std::min(nearest, std::abs(in.strides[i]));
  }
  const bool apart = in.shape[axis] == 1 || std::abs(in.strides[axis]) <= nearest;
  return in.shape[axis] > 1 && (rows < 32 || apart);
}

void choose_chunks(const hal::DeviceInfo& device, Plan& plan) {
  const uint64_t unit = plan.along ? kTile : 1;
  const uint64_t groups = plan.along ? plan.row_count : groups_for(plan.row_count, kLaneGroup);
  const uint64_t useful = wanted_groups(device) / std::max<uint64_t>(groups, 1);
  const uint64_t most = plan.width / (plan.along ? 2 * kTile : kShortestAlone);
  const uint64_t least = plan.along ? 1 : groups_for(plan.width, kLongestAlone);
  const uint64_t chunks = std::max({std::min(most, useful), least, uint64_t{1}});
  plan.chunk = static_cast<uint32_t>(groups_for(groups_for(plan.width, chunks), unit) * unit);
  plan.chunks = static_cast<uint32_t>(groups_for(plan.width, plan.chunk));
}

// The input is not empty.
Plan plan_of(const Scan& scan, const Tensor& in, const Tensor& out, const hal::DeviceInfo& device) {
  const int axis = scan.axis();
  const std::array<Strides, 2> strides{without_axis(in.strides, axis), without_axis(out.strides, axis)};
  Plan plan{RowBlocks(without_axis(in.shape, axis), strides)};
  plan.width = static_cast<uint64_t>(in.shape[axis]);
  plan.row_count = in.size / plan.width;
  plan.along = walks_along(in, axis, plan.row_count);
  choose_chunks(device, plan);
  return plan;
}

class ScanLaunch {
 public:
  ScanLaunch(const Scan& scan, Task& task)
      : scan_(scan),
        task_(task),
        in_(task.inputs[0]),
        out_(task.outputs[0]),
        code_(code_for(scan, in_.dtype, task.device)),
        plan_(plan_of(scan, in_, out_, task.device)) {}

  void run() {
    for (int64_t block = 0; block < plan_.rows.count(); ++block) {
      if (plan_.chunks == 1) {
        stage(block, Step::kRow);
      } else {
        for (const Step step : {Step::kTotals, Step::kBefore, Step::kFinish}) stage(block, step);
      }
    }
  }

 private:
  // Bytes from a tensor's element [0, 0, ...] to the block's first element in the order of the scan.
  uint64_t first_element(const Tensor& tensor, int64_t block, size_t operand) const {
    const int64_t turned = scan_.reverse() ? step_of(tensor) * (static_cast<int64_t>(plan_.width) - 1) : 0;
    return static_cast<uint64_t>((plan_.rows.offset(block, operand) + turned) *
                                 static_cast<int64_t>(tensor.dtype.size()));
  }

  int64_t step_of(const Tensor& tensor) const { return tensor.strides[scan_.axis()]; }

  Memory totals(int64_t block) const {
    const uint64_t row_bytes = plan_.chunks * total_bytes(in_.dtype);
    return task_.scratch.part(uint64_t{plan_.rows.rows(0)} * static_cast<uint64_t>(block) * row_bytes,
                              plan_.rows.rows(block) * row_bytes);
  }

  uint64_t groups(Step step, uint64_t rows) const {
    if (step == Step::kBefore) return rows;
    return (plan_.along ? rows : groups_for(rows, kLaneGroup)) * plan_.chunks;
  }

  void stage(int64_t block, Step step) {
    Launch launch(task_, code_,
                  {static_cast<uint32_t>(scan_.kind()), dtype_code(in_.dtype), dtype_code(out_.dtype),
                   uint32_t{scan_.inclusive()}, uint32_t{plan_.along}, static_cast<uint32_t>(step)});
    Parameters p;
    p.rows = plan_.rows.rows(block);
    p.width = static_cast<uint32_t>(plan_.width);
    p.chunks = plan_.chunks;
    p.chunk = plan_.chunk;
    p.in_step = scan_.reverse() ? -step_of(in_) : step_of(in_);
    p.out_step = scan_.reverse() ? -step_of(out_) : step_of(out_);
    p.axes = plan_.rows.axes<2>();
    if (step != Step::kBefore) p.in = launch.reads(in_) + first_element(in_, block, 0);
    if (step == Step::kRow || step == Step::kFinish) {
      const uint64_t address = plan_.rows.count() > 1 ? launch.updates(out_) : launch.writes(out_);
      p.out = address + first_element(out_, block, 1);
    }
    if (step == Step::kTotals) p.totals = launch.writes(totals(block));
    if (step == Step::kBefore) p.totals = launch.updates(totals(block));
    if (step == Step::kFinish) p.totals = launch.reads(totals(block));
    const double elements =
        static_cast<double>(p.rows) * static_cast<double>(step == Step::kBefore ? p.chunks : p.width);
    launch.run(p, groups(step, p.rows),
               {.operations = 20 * elements, .bytes = 2 * elements * static_cast<double>(in_.dtype.size())});
  }

  const Scan& scan_;
  Task& task_;
  const Tensor& in_;
  const Tensor& out_;
  const hal::KernelCode& code_;
  const Plan plan_;
};

void encode(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size > 0) ScanLaunch(static_cast<const Scan&>(primitive), task).run();
}

size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
               const hal::DeviceInfo& device) {
  if (inputs[0].size == 0) return 0;
  const Plan plan = plan_of(static_cast<const Scan&>(primitive), inputs[0], outputs[0], device);
  return plan.chunks > 1 ? plan.row_count * plan.chunks * total_bytes(inputs[0].dtype) : 0;
}

}  // namespace

void register_scan(Table& table) { table.add<Scan>(encode, scratch); }

}  // namespace plimsoll::gpu
