#include "gpu/families/quantized_weights.h"

#include <bit>
#include <stdexcept>
#include <string>

#include "graph/ops/block_format.h"

namespace plimsoll::gpu {
namespace {

constexpr uint32_t kFirstBlockFormat = 16;  // kernels: FORMAT_Q4_0, and the others in their order
constexpr uint64_t kWidestLoad = 16;

void require_packed_rows(const char* op, const Tensor& t, const char* what) {
  if (t.size == 0 || t.dim(-1) == 1 || t.stride(-1) == 1) return;
  throw std::invalid_argument("[" + std::string(op) + "] " + what +
                              " must be contiguous along the last axis; make a copy with contiguous()");
}

uint64_t lowest_bit(uint64_t n) { return n & (~n + 1); }

// Alignment of the pieces of a row that are read as words, from the row's start.
uint64_t piece_alignment(uint32_t format) {
  if (format < kFirstBlockFormat) return lowest_bit(4 * format);  // a parcel of `format` words
  switch (static_cast<BlockFormat>(format - kFirstBlockFormat)) {
    case BlockFormat::Q4_1:
      return 4;
    case BlockFormat::Q5_1:
      return 8;
    case BlockFormat::Q4_K:
    case BlockFormat::Q5_K:
      return 16;
    case BlockFormat::Q4_0:
    case BlockFormat::Q5_0:
    case BlockFormat::Q8_0:
    case BlockFormat::Q6_K:
      return 2;
  }
  return 1;
}

}  // namespace

QuantizedWeights affine_weights(const char* op, const Tensor& packed, const Tensor& scales, const Tensor& biases,
                                const AffineSpec& spec) {
  require_packed_rows(op, packed, "packed weights");
  require_packed_rows(op, scales, "scales");
  require_packed_rows(op, biases, "biases");
  return {&packed,
          &scales,
          &biases,
          static_cast<uint32_t>(spec.bits),
          static_cast<uint32_t>(std::countr_zero(static_cast<uint32_t>(spec.group_size / kParcel))),
          packed.dim(-1) * 32 / spec.bits};
}

QuantizedWeights block_weights(const char* op, const Tensor& packed, BlockFormat format) {
  require_packed_rows(op, packed, "weights");
  const BlockLayout layout = block_layout(format);
  return {.packed = &packed,
          .format = kFirstBlockFormat + static_cast<uint32_t>(format),
          .values = packed.dim(-1) / layout.bytes * layout.values};
}

WeightRows matrix_rows(const QuantizedWeights& w) {
  WeightRows rows{.packed_row = w.packed->stride(-2)};
  if (w.scales) {
    rows.scale_row = w.scales->stride(-2);
    rows.bias_row = w.biases->stride(-2);
  }
  return rows;
}

FormatConstants format_constants(const QuantizedWeights& w, const WeightRows& rows, Dtype dtype) {
  const auto item = static_cast<int64_t>(w.packed->dtype.size());
  const uint64_t start = address_of(*w.packed) + static_cast<uint64_t>(rows.packed * item);
  const uint64_t step = static_cast<uint64_t>(rows.packed_row * item);
  const uint64_t alignment = lowest_bit(start | step | piece_alignment(w.format) | kWidestLoad);
  return {dtype_code(dtype), w.format, dtype_code(w.scale_dtype()), static_cast<uint32_t>(alignment)};
}

double weight_bytes(const QuantizedWeights& w) {
  double bytes = static_cast<double>(w.packed->size * w.packed->dtype.size());
  if (w.scales) bytes += 2.0 * static_cast<double>(w.scales->size * w.scales->dtype.size());
  return bytes;
}

}  // namespace plimsoll::gpu
