// Sorting and partitioning along an axis: blocks are sorted in shared memory, then merged pass by pass. A partition is
// a full sort.
#include "graph/ops/sort.h"

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/lanes.h"
#include "gpu/launch.h"
#include "gpu/register.h"
#include "gpu/row_blocks.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

struct Parameters {
  uint32_t first_group = 0;
  uint32_t rows = 0;
  uint32_t width = 0;
  uint32_t run = 0;
  uint64_t in = 0;
  uint64_t out = 0;
  uint64_t source = 0;
  uint64_t target = 0;
  int64_t in_step = 0;
  int64_t out_step = 0;
  RowAxes<2> axes;
};
static_assert(sizeof(Parameters) <= hal::kDirectParameterBytes);

// Kernels for keys of 32 bits or of 64 (kernels/sort/sort.glsl).
struct Kernels {
  const hal::KernelCode& blocks;
  const hal::KernelCode& merge;
  uint32_t items;  // of a workgroup
  uint64_t item_bytes;
};

const Kernels& kernels_for(Dtype dtype) {
  static const Kernels narrow{kernels::sort_blocks_short, kernels::sort_merge_short, 2048, 8};
  static const Kernels wide{kernels::sort_blocks_long, kernels::sort_merge_long, 1024, 16};
  return dtype.size() < 8 ? narrow : wide;
}

RowBlocks rows_of(const Sort& sort, const Tensor& in, const Tensor& out) {
  const std::array<Strides, 2> strides{without_axis(in.strides, sort.axis()), without_axis(out.strides, sort.axis())};
  return {without_axis(in.shape, sort.axis()), strides};
}

// Passes that merge the runs of a row.
int merges_of(uint64_t width, const Kernels& kernels) {
  const uint64_t runs = groups_for(width, kernels.items);
  return runs <= 1 ? 0 : std::bit_width(runs - 1);
}

// Items of all rows of a block, from one pass to the next.
uint64_t items_bytes(const RowBlocks& rows, uint64_t width, const Kernels& kernels) {
  return rows.rows(0) * width * kernels.item_bytes;
}

class SortLaunch {
 public:
  SortLaunch(const Sort& sort, Task& task)
      : sort_(sort),
        task_(task),
        in_(task.inputs[0]),
        out_(task.outputs[0]),
        kernels_(kernels_for(in_.dtype)),
        rows_(rows_of(sort, in_, out_)),
        width_(static_cast<uint64_t>(in_.shape[sort.axis()])),
        merges_(merges_of(width_, kernels_)) {}

  void run() {
    for (int64_t block = 0; block < rows_.count(); ++block) {
      sort_blocks(block);
      for (int pass = 1; pass <= merges_; ++pass) merge(block, pass);
    }
  }

 private:
  // What pass `pass` leaves; the sorting of blocks is pass 0.
  Memory items_after(int pass) const {
    const uint64_t bytes = items_bytes(rows_, width_, kernels_);
    return task_.scratch.part(pass % 2 == 0 ? 0 : bytes, bytes);
  }

  uint32_t is_last(int pass) const { return pass == merges_ ? 1 : 0; }

  Parameters geometry(int64_t block) const {
    Parameters p;
    p.rows = rows_.rows(block);
    p.width = static_cast<uint32_t>(width_);
    p.in_step = in_.strides[sort_.axis()];
    p.out_step = out_.strides[sort_.axis()];
    p.axes = rows_.axes<2>();
    return p;
  }

  uint64_t offset_bytes(const Tensor& tensor, int64_t block, size_t operand) const {
    return static_cast<uint64_t>(rows_.offset(block, operand) * static_cast<int64_t>(tensor.dtype.size()));
  }

  // States the results of a pass; elements come from the input, positions from the items.
  void state_results(Launch& launch, Parameters& p, int64_t block, int pass) const {
    if (!is_last(pass)) {
      p.target = launch.writes(items_after(pass));
      return;
    }
    const uint64_t address = rows_.count() > 1 ? launch.updates(out_) : launch.writes(out_);
    p.out = address + offset_bytes(out_, block, 1);
  }

  hal::Cost cost(const Parameters& p, double operations) const {
    const double items = static_cast<double>(p.rows) * static_cast<double>(p.width);
    return {.operations = operations * items, .bytes = 2 * items * static_cast<double>(kernels_.item_bytes)};
  }

  void sort_blocks(int64_t block) {
    const uint32_t items =
        merges_ > 0 ? kernels_.items : static_cast<uint32_t>(std::bit_ceil(std::max<uint64_t>(width_, 2)));
    Launch launch(task_, kernels_.blocks, {dtype_code(in_.dtype), uint32_t{sort_.gives_indices()}, is_last(0), items});
    Parameters p = geometry(block);
    p.in = launch.reads(in_) + offset_bytes(in_, block, 0);
    state_results(launch, p, block, 0);
    const double steps = std::bit_width(items);
    launch.run(p, groups_for(p.rows * groups_for(width_, items), kernels_.items / items), cost(p, steps * steps));
  }

  void merge(int64_t block, int pass) {
    Launch launch(task_, kernels_.merge, {dtype_code(in_.dtype), uint32_t{sort_.gives_indices()}, is_last(pass)});
    Parameters p = geometry(block);
    p.run = kernels_.items << (pass - 1);
    p.source = launch.reads(items_after(pass - 1));
    if (is_last(pass) && !sort_.gives_indices()) p.in = launch.reads(in_) + offset_bytes(in_, block, 0);
    state_results(launch, p, block, pass);
    launch.run(p, p.rows * groups_for(width_, kernels_.items), cost(p, 8));
  }

  const Sort& sort_;
  Task& task_;
  const Tensor& in_;
  const Tensor& out_;
  const Kernels& kernels_;
  const RowBlocks rows_;
  const uint64_t width_;
  const int merges_;
};

void encode(const Primitive& primitive, Task& task) {
  if (task.outputs[0].size > 0) SortLaunch(static_cast<const Sort&>(primitive), task).run();
}

size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
               const hal::DeviceInfo&) {
  const auto& sort = static_cast<const Sort&>(primitive);
  if (inputs[0].size == 0) return 0;
  const Kernels& kernels = kernels_for(inputs[0].dtype);
  const auto width = static_cast<uint64_t>(inputs[0].shape[sort.axis()]);
  const int buffers = std::min(merges_of(width, kernels), 2);
  return static_cast<uint64_t>(buffers) * items_bytes(rows_of(sort, inputs[0], outputs[0]), width, kernels);
}

}  // namespace

void register_sort(Table& table) { table.add<Sort>(encode, scratch); }

}  // namespace plimsoll::gpu
