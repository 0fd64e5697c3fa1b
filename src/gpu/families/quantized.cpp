// Quantize, Dequantize, QuantizedMatmul, BlockDequantize and BlockQuantizedMatmul: kernels/quantized.
#include "graph/ops/quantized.h"

#include <vector>

#include "gpu/families/quantized_product.h"
#include "gpu/families/quantized_weights.h"
#include "gpu/families/row_blocks.h"
#include "gpu/launch.h"
#include "gpu/register.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

// Part `block` of a tensor whose rows are written in order.
uint64_t writes_block(Launch& launch, const Tensor& out, const RowBlocks& rows, int64_t block) {
  const uint64_t bytes = static_cast<uint64_t>(rows.rows() * out.dim(-1)) * out.dtype.size();
  const uint64_t address = address_of(out) + static_cast<uint64_t>(block) * bytes;
  return launch.accesses(out, {address, bytes, bytes, 1}, hal::AccessKind::kWrite);
}

// kernels/quantized/quantized_widen.comp
struct WidenParameters {
  uint32_t first_group;
  uint32_t parcels;
  uint64_t count;
  uint64_t w, scales, biases, out;
  int64_t w_row, scale_row, bias_row;
  uint32_t group_shift;
};

void widen_block(Task& task, const QuantizedWeights& w, const RowBlocks& rows, int64_t block) {
  const Tensor& out = task.outputs[0];
  WeightRows at{.packed = rows.start(block, 0), .packed_row = rows.step(0)};
  if (w.scales) {
    at.scales = rows.start(block, 1), at.scale_row = rows.step(1);
    at.biases = rows.start(block, 2), at.bias_row = rows.step(2);
  }
  Launch launch(task, kernels::quantized_widen, format_constants(w, at, out.dtype));
  WidenParameters p{};
  p.parcels = static_cast<uint32_t>(w.values / kParcel);
  p.count = static_cast<uint64_t>(rows.rows()) * p.parcels;
  read_weights(launch, w, at, p);
  p.out = writes_block(launch, out, rows, block);
  const double values = static_cast<double>(p.count) * kParcel, share = 1.0 / static_cast<double>(rows.count());
  constexpr uint64_t kGroupParcels = 128;
  launch.run(p, groups_for(p.count, kGroupParcels),
             {2.0 * values, weight_bytes(w) * share + values * static_cast<double>(out.dtype.size())});
}

void widen(Task& task, const QuantizedWeights& w) {
  if (task.outputs[0].size == 0) return;
  std::vector<Strides> strides{row_strides(*w.packed)};
  if (w.scales) {
    strides.push_back(row_strides(*w.scales));
    strides.push_back(row_strides(*w.biases));
  }
  const RowBlocks rows(task.outputs[0], strides);
  for (int64_t block = 0; block < rows.count(); ++block) widen_block(task, w, rows, block);
}

void encode_dequantize(const Primitive& primitive, Task& task) {
  const AffineSpec& spec = static_cast<const Dequantize&>(primitive).spec();
  widen(task, affine_weights("dequantize", task.inputs[0], task.inputs[1], task.inputs[2], spec));
}

void encode_block_dequantize(const Primitive& primitive, Task& task) {
  const BlockFormat format = static_cast<const BlockDequantize&>(primitive).format();
  widen(task, block_weights("block_dequantize", task.inputs[0], format));
}

void encode_affine_product(const Primitive& primitive, Task& task) {
  const auto& p = static_cast<const QuantizedMatmul&>(primitive);
  const auto w = affine_weights("quantized_matmul", task.inputs[1], task.inputs[2], task.inputs[3], p.spec());
  encode_quantized_product(task, w, p.transpose());
}

void encode_block_product(const Primitive& primitive, Task& task) {
  const auto& p = static_cast<const BlockQuantizedMatmul&>(primitive);
  const auto w = block_weights("block_quantized_matmul", task.inputs[1], p.format());
  encode_quantized_product(task, w, p.transpose());
}

// kernels/quantized/quantized_pack.comp
struct PackParameters {
  uint32_t first_group;
  uint32_t groups;
  uint64_t count;
  uint64_t values, packed, scales, biases;
  int64_t value_row, value_column;
};

void pack_block(Task& task, const AffineSpec& spec, const RowBlocks& rows, int64_t block) {
  const Tensor &values = task.inputs[0], &packed = task.outputs[0];
  Launch launch(task, kernels::quantized_pack,
                {dtype_code(values.dtype), static_cast<uint32_t>(spec.bits), static_cast<uint32_t>(spec.group_size)});
  PackParameters p{};
  p.groups = static_cast<uint32_t>(values.dim(-1) / spec.group_size);
  p.count = static_cast<uint64_t>(rows.rows()) * p.groups;
  p.values = launch.reads(values) + static_cast<uint64_t>(rows.start(block, 0)) * values.dtype.size();
  p.packed = writes_block(launch, packed, rows, block);
  p.scales = writes_block(launch, task.outputs[1], rows, block);
  p.biases = writes_block(launch, task.outputs[2], rows, block);
  p.value_row = rows.step(0);
  p.value_column = values.stride(-1);
  const double count = static_cast<double>(p.count) * spec.group_size;
  constexpr uint64_t kGroupSize = 64;
  launch.run(p, groups_for(p.count, kGroupSize),
             {8.0 * count, count * (static_cast<double>(values.dtype.size()) + spec.bits / 8.0)});
}

void encode_quantize(const Primitive& primitive, Task& task) {
  if (task.inputs[0].size == 0) return;
  const AffineSpec& spec = static_cast<const Quantize&>(primitive).spec();
  const Strides strides[] = {row_strides(task.inputs[0])};
  const RowBlocks rows(task.inputs[0], strides);
  for (int64_t block = 0; block < rows.count(); ++block) pack_block(task, spec, rows, block);
}

}  // namespace

void register_quantized(Table& table) {
  table.add<Quantize>(encode_quantize);
  table.add<Dequantize>(encode_dequantize);
  table.add<QuantizedMatmul>(encode_affine_product);
  table.add<BlockDequantize>(encode_block_dequantize);
  table.add<BlockQuantizedMatmul>(encode_block_product);
}

}  // namespace plimsoll::gpu
