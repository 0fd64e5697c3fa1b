// Evaluators of quantized products, and of quantizing and dequantizing.
#include "graph/ops/quantized.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/parallel.h"
#include "cpu/quantized/weights.h"
#include "cpu/register.h"
#include "cpu/strided_panels.h"
#include "graph/ops/block_format.h"

namespace plimsoll::cpu {
namespace {

using quantized::AffineMatrix;
using quantized::AffineWeightRows;
using quantized::BlockMatrix;
using quantized::BlockWeightRows;

// The rows of a tensor [..., last]: runs of rows that follow each other evenly.
struct RowRuns {
  explicit RowRuns(const Tensor& t) {
    axes =
        collapse_axes(Shape(t.shape.begin(), t.shape.end() - 1), {{Strides(t.strides.begin(), t.strides.end() - 1)}});
    if (axes.shape.empty()) return;
    rows = axes.shape.back();
    row_stride = axes.strides[0].back();
    for (size_t i = 0; i + 1 < axes.shape.size(); ++i) runs *= axes.shape[i];
  }

  // Distance of a run's first element from the tensor's, in elements.
  int64_t start(int64_t run) const {
    if (runs == 1) return 0;
    int64_t offset = 0;
    for (size_t i = axes.shape.size() - 1; i-- > 0; run /= axes.shape[i]) {
      offset += run % axes.shape[i] * axes.strides[0][i];
    }
    return offset;
  }
  // Of any row, counted over all runs.
  int64_t row_start(int64_t row) const {
    return runs == 1 ? row * row_stride : start(row / rows) + row % rows * row_stride;
  }

  CollapsedAxes axes;
  int64_t runs = 1;
  int64_t rows = 1;
  int64_t row_stride = 0;
};

void require_packed_rows(const char* op, const Tensor& t, const char* what) {
  if (t.size == 0 || t.dim(-1) == 1 || t.stride(-1) == 1) return;
  throw std::invalid_argument("[" + std::string(op) + "] " + what +
                              " must be contiguous along the last axis; make a copy with contiguous()");
}

int64_t row_count(const Tensor& t) { return t.dim(-1) == 0 ? 0 : static_cast<int64_t>(t.size) / t.dim(-1); }

size_t padded(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Products. One call of the kernel for each run of rows of x; nearly always there is one run.

size_t product_scratch(const Tensor& x, int64_t N, int64_t K, bool transpose) {
  const int64_t rows = RowRuns(x).rows;
  return transpose ? weight_product_scratch_bytes(rows, N, K, x.dtype) : weight_transposed_scratch_bytes(rows, N, K);
}

void run_product(const WeightRows& w, const Task& task, bool transpose) {
  const Tensor &x = task.inputs[0], &y = task.outputs[0];
  if (y.size == 0) return;
  const RowRuns runs(x);
  const int64_t columns = y.dim(-1);
  for (int64_t run = 0; run < runs.runs; ++run) {
    const MatrixView view{element_at(x.data, x.dtype, runs.start(run)), x.dtype, runs.row_stride, x.stride(-1)};
    void* out = y.data + run * runs.rows * columns * y.dtype.size();
    const WeightProduct product{runs.rows, view, out, y.dtype, columns};
    if (transpose) {
      multiply_weights(w, product, task.scratch.data());
    } else {
      multiply_weights_transposed(w, product, task.scratch.data());
    }
  }
}

BlockMatrix block_matrix(const Tensor& w, BlockFormat format) {
  const BlockLayout layout = block_layout(format);
  return {w.as<uint8_t>(), format, w.dim(-2), w.dim(-1) / layout.bytes * layout.values, w.stride(-2)};
}

AffineMatrix affine_matrix(const Tensor& w, const Tensor& scales, const Tensor& biases, const AffineSpec& spec) {
  return {w.as<uint8_t>(),  scales.data,      biases.data, scales.dtype,
          spec.bits,        spec.group_size,  w.dim(-2),   w.dim(-1) * 32 / spec.bits,
          w.stride(-2) * 4, scales.stride(-2)};
}

size_t block_product_scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor>) {
  const auto& p = static_cast<const BlockQuantizedMatmul&>(primitive);
  const BlockMatrix w = block_matrix(inputs[1], p.format());
  return product_scratch(inputs[0], w.rows, w.values, p.transpose());
}

void eval_block_product(const Primitive& primitive, const Task& task) {
  const auto& p = static_cast<const BlockQuantizedMatmul&>(primitive);
  require_packed_rows("block_quantized_matmul", task.inputs[1], "weights");
  run_product(BlockWeightRows(block_matrix(task.inputs[1], p.format())), task, p.transpose());
}

size_t affine_product_scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor>) {
  const auto& p = static_cast<const QuantizedMatmul&>(primitive);
  const int64_t values = inputs[1].dim(-1) * 32 / p.spec().bits;
  return product_scratch(inputs[0], inputs[1].dim(-2), values, p.transpose());
}

void check_affine_rows(const char* op, const Tensor& w, const Tensor& scales, const Tensor& biases) {
  require_packed_rows(op, w, "packed weights");
  require_packed_rows(op, scales, "scales");
  require_packed_rows(op, biases, "biases");
}

void eval_affine_product(const Primitive& primitive, const Task& task) {
  const auto& p = static_cast<const QuantizedMatmul&>(primitive);
  const Tensor &w = task.inputs[1], &scales = task.inputs[2], &biases = task.inputs[3];
  check_affine_rows("quantized_matmul", w, scales, biases);
  run_product(AffineWeightRows(affine_matrix(w, scales, biases, p.spec())), task, p.transpose());
}

// Dequantizing: rows are spread over threads; `widen(row, out)` gives one in float32.

size_t row_scratch(const Tensor& rows) {
  return padded(static_cast<size_t>(rows.dim(-1)) * sizeof(float)) * static_cast<size_t>(base::num_threads());
}

// Calls body(row, buffer) for every row, with a float32 buffer of its own for each thread.
template <typename F>
void for_each_row(int64_t rows, const Tensor& widest, std::byte* scratch, const F& body) {
  const int64_t slots = base::num_threads();
  const size_t slot_bytes = padded(static_cast<size_t>(widest.dim(-1)) * sizeof(float));
  base::parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    auto* buffer = reinterpret_cast<float*>(scratch + static_cast<size_t>(begin) * slot_bytes);
    for (int64_t row = begin * rows / slots; row < end * rows / slots; ++row) body(row, buffer);
  });
}

template <typename F>
void dequantize_rows(const Task& task, const F& widen) {
  const Tensor& out = task.outputs[0];
  for_each_row(row_count(out), out, task.scratch.data(), [&](int64_t row, float* buffer) {
    widen(row, buffer);
    narrow_row(buffer, out.dim(-1), out.dtype, out.data + row * out.dim(-1) * out.dtype.size());
  });
}

size_t output_row_scratch(const Primitive&, std::span<const Tensor>, std::span<const Tensor> outputs) {
  return row_scratch(outputs[0]);
}

void eval_block_dequantize(const Primitive& primitive, const Task& task) {
  const BlockFormat format = static_cast<const BlockDequantize&>(primitive).format();
  const Tensor& w = task.inputs[0];
  require_packed_rows("block_dequantize", w, "weights");
  const RowRuns runs(w);
  dequantize_rows(task, [&](int64_t row, float* out) {
    const BlockMatrix one{w.as<uint8_t>() + runs.row_start(row), format, 1, task.outputs[0].dim(-1), 0};
    quantized::widen_blocks(one, 0, 1, out, 0);
  });
}

void eval_dequantize(const Primitive& primitive, const Task& task) {
  const AffineSpec& spec = static_cast<const Dequantize&>(primitive).spec();
  const Tensor &w = task.inputs[0], &scales = task.inputs[1], &biases = task.inputs[2];
  check_affine_rows("dequantize", w, scales, biases);
  const RowRuns packed(w), scale_rows(scales), bias_rows(biases);
  dequantize_rows(task, [&](int64_t row, float* out) {
    const AffineMatrix one{w.as<uint8_t>() + packed.row_start(row) * 4,
                           element_at(scales.data, scales.dtype, scale_rows.row_start(row)),
                           element_at(biases.data, biases.dtype, bias_rows.row_start(row)),
                           scales.dtype,
                           spec.bits,
                           spec.group_size,
                           1,
                           task.outputs[0].dim(-1),
                           0,
                           0};
    quantized::widen_affine(one, 0, 1, out, 0);
  });
}

size_t quantize_scratch(const Primitive&, std::span<const Tensor> inputs, std::span<const Tensor>) {
  return row_scratch(inputs[0]);
}

void eval_quantize(const Primitive& primitive, const Task& task) {
  const AffineSpec& spec = static_cast<const Quantize&>(primitive).spec();
  const Tensor &w = task.inputs[0], &packed = task.outputs[0], &scales = task.outputs[1], &biases = task.outputs[2];
  const int64_t K = w.dim(-1), groups = scales.dim(-1);
  const RowRuns runs(w);
  for_each_row(row_count(w), w, task.scratch.data(), [&](int64_t row, float* buffer) {
    StridedSource<float>(element_at(w.data, w.dtype, runs.row_start(row)), w.dtype, K, 0, w.stride(-1))
        .fill_rows(0, 1, buffer, 0);
    float scale, bias;
    uint8_t* out = packed.as<uint8_t>() + row * packed.dim(-1) * 4;
    for (int64_t g = 0; g < groups; ++g) {
      quantized::quantize_affine_row(buffer + g * spec.group_size, spec.group_size, spec.bits, spec.group_size,
                                     out + g * spec.group_size * spec.bits / 8, &scale, &bias);
      const int64_t at = (row * groups + g) * scales.dtype.size();
      narrow_row(&scale, 1, scales.dtype, scales.data + at);
      narrow_row(&bias, 1, biases.dtype, biases.data + at);
    }
  });
}

}  // namespace

void register_quantized(Table& table) {
  table.add<Quantize>(eval_quantize, quantize_scratch);
  table.add<Dequantize>(eval_dequantize, output_row_scratch);
  table.add<QuantizedMatmul>(eval_affine_product, affine_product_scratch);
  table.add<BlockDequantize>(eval_block_dequantize, output_row_scratch);
  table.add<BlockQuantizedMatmul>(eval_block_product, block_product_scratch);
}

}  // namespace plimsoll::cpu
