// Products with weights in GGUF's block formats, and their widening. Nothing here allocates: scratch is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plimsoll/quantized.h"
#include "cpu/row_dot.h"

namespace plimsoll::cpu::quantized {

// Weights [rows, values] of one format; a row is values / block_values(format) blocks.
struct BlockMatrix {
  const uint8_t* data;
  BlockFormat format;
  int64_t rows;
  int64_t values;     // a multiple of the format's block
  int64_t row_bytes;  // distance of rows
};

// y = x @ w.T for a few rows of x, straight on the packed weights.
void dot_blocks(const BlockMatrix& w, const RowDot& p);

// Widens rows [first, first + count) to float32 rows `stride` apart, bit for bit the values that the format defines.
void widen_blocks(const BlockMatrix& w, int64_t first, int64_t count, float* out, int64_t stride);

}  // namespace plimsoll::cpu::quantized
