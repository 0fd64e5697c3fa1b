#include "gpu/families/quantized_product.h"

#include <span>

#include "gpu/families/quantized_tiles.h"
#include "gpu/families/row_blocks.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

using Constants = SmallVector<uint32_t, 16>;

// kernels/quantized/quantized_product.glsl
struct Parameters {
  uint32_t first_group;
  uint32_t M, N, K;
  uint64_t x, w, scales, biases, out;
  int64_t x_row, x_column;
  int64_t w_row, scale_row, bias_row;
  uint32_t group_shift;
};

// Evenly spaced rows of x, and where their outputs lie.
struct XRows {
  uint64_t x, out;      // addresses
  int64_t row, column;  // elements between rows and columns; axes of size 1 step nowhere
};

struct QuantizedProduct {
  const QuantizedWeights& w;
  WeightRows weight_rows;
  QuantizedShape shape;
  XRows rows;
  Dtype dtype;
};

// fetch_packet in the kernels may load whole packets of x.
bool has_whole_packets(const QuantizedProduct& p) {
  const int64_t packet = 16 / static_cast<int64_t>(p.dtype.size());
  return p.rows.column == 1 && p.rows.x % 16 == 0 && p.rows.row % packet == 0 && p.shape.K % packet == 0;
}

Constants constants_of(const QuantizedProduct& p) {
  const FormatConstants format = format_constants(p.w, p.weight_rows, p.dtype);
  return Constants(format.begin(), format.end());
}

void launch(Task& task, const hal::KernelCode& code, const Constants& constants, const QuantizedProduct& p,
            int64_t groups) {
  Launch launch(task, code, std::span(constants.data(), constants.size()));
  Parameters block{};
  block.M = static_cast<uint32_t>(p.shape.M);
  block.N = static_cast<uint32_t>(p.shape.N);
  block.K = static_cast<uint32_t>(p.shape.K);
  launch.reads(task.inputs[0]);
  block.x = p.rows.x, block.x_row = p.rows.row, block.x_column = p.rows.column;
  read_weights(launch, p.w, p.weight_rows, block);
  const auto item = static_cast<uint64_t>(p.dtype.size());
  const uint64_t bytes = static_cast<uint64_t>(p.shape.M * p.shape.N) * item;
  block.out = launch.accesses(task.outputs[0], {p.rows.out, bytes, bytes, 1}, hal::AccessKind::kWrite);
  const double outputs = static_cast<double>(p.shape.M) * static_cast<double>(p.shape.N);
  const double moved = weight_bytes(p.w) + static_cast<double>(p.shape.M * p.shape.K) * item + outputs * item;
  launch.run(block, static_cast<uint64_t>(groups), {2.0 * outputs * static_cast<double>(p.shape.K), moved});
}

// The kernel may load runs of x four elements at a time.
bool has_whole_quads(const QuantizedProduct& p) {
  const uint64_t quad = 4 * p.dtype.size();
  return p.rows.column == 1 && p.rows.x % quad == 0 && p.rows.row % 4 == 0;
}

void launch_rows(Task& task, const QuantizedProduct& p) {
  const QuantizedRowsChoice choice = choose_quantized_rows(p.shape, task.device);
  Constants constants = constants_of(p);
  for (const uint32_t constant : {choice.threads, choice.lanes, choice.columns, choice.rows,
                                  uint32_t{has_whole_quads(p)}, choice.stage_parcels}) {
    constants.push_back(constant);
  }
  launch(task, kernels::quantized_rows, constants, p, choice.groups);
}

// Whole packets of the output may be stored.
bool has_whole_outputs(const QuantizedProduct& p) {
  const int64_t packet = 16 / static_cast<int64_t>(p.dtype.size());
  return p.rows.out % 16 == 0 && p.shape.N % packet == 0;
}

void launch_tiles(Task& task, const QuantizedProduct& p) {
  const QuantizedTileChoice choice = choose_quantized_tile(p.shape, p.dtype, task.device);
  const QuantizedTile& tile = *choice.tile;
  Constants constants = constants_of(p);
  for (const uint32_t constant : {choice.threads, tile.rows, tile.columns, tile.worker_rows, tile.worker_columns,
                                  uint32_t{has_whole_packets(p)}, uint32_t{p.shape.transposed}}) {
    constants.push_back(constant);
  }
  if (choice.cooperative) {
    constants.push_back(has_whole_outputs(p));
    constants.push_back(tile.prefetch);
  } else {
    // Software devices take seconds to compile long code.
    constants.push_back(task.device.type == hal::DeviceType::kSoftware ? 1 : static_cast<uint32_t>(kParcel));
  }
  const hal::KernelCode& code = choice.cooperative ? quantized_cooperative_kernel(p.dtype) : kernels::quantized_tiled;
  launch(task, code, constants, p, tile.groups(p.shape));
}

}  // namespace

void encode_quantized_product(Task& task, const QuantizedWeights& w, bool transposed) {
  const Tensor &x = task.inputs[0], &out = task.outputs[0];
  if (out.size == 0) return;
  const Strides strides[] = {row_strides(x)};
  const RowBlocks blocks(x, strides);
  const QuantizedShape shape{blocks.rows(), out.dim(-1), transposed ? w.values : w.packed->dim(-2), transposed};
  const uint64_t item = x.dtype.size(), out_bytes = static_cast<uint64_t>(shape.M * shape.N) * item;
  for (int64_t block = 0; block < blocks.count(); ++block) {
    const XRows rows{address_of(x) + static_cast<uint64_t>(blocks.start(block, 0)) * item,
                     address_of(out) + static_cast<uint64_t>(block) * out_bytes, blocks.step(0),
                     x.dim(-1) == 1 ? 0 : x.stride(-1)};
    const QuantizedProduct p{w, matrix_rows(w), shape, rows, x.dtype};
    if (transposed && shape.M <= few_quantized_rows(task.device)) {
      launch_rows(task, p);
    } else {
      launch_tiles(task, p);
    }
  }
}

}  // namespace plimsoll::gpu
