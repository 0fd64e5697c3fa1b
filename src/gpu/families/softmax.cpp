// Softmax and the logarithm of its sum, along the last axis.
#include "graph/ops/softmax.h"

#include <algorithm>
#include <array>

#include "gpu/families/row_launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

// As kernels/softmax.comp numbers them.
enum class Step : uint32_t { kRow, kGather, kFinish };

struct Parameters {
  uint32_t first_group = 0;
  uint32_t rows = 0;
  uint32_t width = 0;
  uint32_t chunks = 1;
  uint32_t chunk = 0;
  uint32_t unused = 0;
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t sums = 0;
  int64_t in_step = 0;
  RowAxes<2> axes;
};
static_assert(sizeof(Parameters) <= hal::kDirectParameterBytes);

// A maximum and a sum.
uint64_t sum_bytes(Dtype dtype) { return 2 * (dtype == float64 ? float64 : float32).size(); }

// Rows of both primitives; `log` tells them apart.
class SoftmaxLaunch {
 public:
  SoftmaxLaunch(const Primitive& primitive, Task& task, bool log)
      : task_(task),
        in_(task.inputs[0]),
        out_(task.outputs[0]),
        log_(log),
        code_(float_row_code(primitive, in_.dtype, task.device, kernels::softmax_float, kernels::softmax_double)),
        rows_(rows_around_last({in_, out_})),
        chunks_(row_chunks(in_, task.device)) {}

  void run() {
    for (int64_t block = 0; block < rows_.count(); ++block) {
      if (chunks_.count > 1) {
        stage(block, Step::kGather);
        stage(block, Step::kFinish);
      } else {
        stage(block, Step::kRow);
      }
    }
  }

 private:
  // Of the workgroups, where a row is not left to a part of one.
  uint64_t groups(Step step, uint32_t lanes, uint64_t rows) const {
    if (step == Step::kRow) return groups_for(rows, kLaneGroup / lanes);
    return step == Step::kFinish && log_ ? rows : rows * chunks_.count;
  }

  Memory sums(int64_t block) const {
    const uint64_t row_bytes = uint64_t{chunks_.count} * sum_bytes(in_.dtype);
    const uint64_t first = block > 0 ? rows_.rows(0) * static_cast<uint64_t>(block) * row_bytes : 0;
    return task_.scratch.part(first, rows_.rows(block) * row_bytes);
  }

  void stage(int64_t block, Step step) {
    const uint64_t rows = rows_.rows(block);
    const uint32_t pack = pack_of(in_.dtype);
    const uint64_t width = static_cast<uint64_t>(in_.dim(-1));
    const uint32_t lanes =
        step == Step::kRow ? lanes_for(row_count(in_), groups_for(width, pack), task_.device) : kLaneGroup;
    const bool vector = has_aligned_rows(in_, rows_, 0) && (log_ || has_aligned_rows(out_, rows_, 1));
    Launch launch(task_, code_,
                  {dtype_code(in_.dtype), lanes, pack, uint32_t{vector}, uint32_t{log_}, static_cast<uint32_t>(step)});
    Parameters p;
    p.rows = static_cast<uint32_t>(rows);
    p.width = static_cast<uint32_t>(width);
    p.chunks = chunks_.count;
    p.chunk = chunks_.elements;
    p.in_step = last_step(in_);
    p.axes = rows_.axes<2>();
    const bool reads_rows = step != Step::kFinish || !log_;
    if (reads_rows) p.in = launch.reads(in_) + row_bytes(in_, rows_, block, 0);
    if (step == Step::kGather) p.sums = launch.writes(sums(block));
    if (step == Step::kFinish) p.sums = launch.reads(sums(block));
    if (step != Step::kGather) p.out = write_rows(launch, out_, rows_, block, 1);
    const auto elements = static_cast<double>(rows * width);
    launch.run(p, groups(step, lanes, rows),
               {.operations = 20 * elements, .bytes = 2 * elements * static_cast<double>(in_.dtype.size())});
  }

  Task& task_;
  const Tensor& in_;
  const Tensor& out_;
  const bool log_;
  const hal::KernelCode& code_;
  const RowBlocks rows_;
  const RowChunks chunks_;
};

void softmax(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size == 0) return;
  SoftmaxLaunch(primitive, task, false).run();
}

void logsumexp(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size == 0) return;
  SoftmaxLaunch(primitive, task, true).run();
}

size_t softmax_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor>,
                       const hal::DeviceInfo& device) {
  const RowChunks chunks = row_chunks(inputs[0], device);
  return chunks.count > 1 ? row_count(inputs[0]) * chunks.count * sum_bytes(inputs[0].dtype) : 0;
}

}  // namespace

void register_softmax(Table& table) {
  table.add<Softmax>(softmax, softmax_scratch);
  table.add<LogSumExp>(logsumexp, softmax_scratch);
}

}  // namespace plimsoll::gpu
