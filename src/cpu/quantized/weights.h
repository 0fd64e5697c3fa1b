// Quantized weights as operands of multiply_weights.
#pragma once

#include "cpu/quantized/affine.h"
#include "cpu/quantized/block.h"
#include "cpu/weight_rows.h"

namespace plimsoll::cpu::quantized {

class BlockWeightRows final : public WeightRows {
 public:
  explicit BlockWeightRows(const BlockMatrix& w) : WeightRows(w.rows, w.values), w_(w) {}
  void dot(const RowDot& p) const override { dot_blocks(w_, p); }
  void widen(int64_t first, int64_t count, float* out, int64_t stride) const override {
    widen_blocks(w_, first, count, out, stride);
  }

 private:
  BlockMatrix w_;
};

class AffineWeightRows final : public WeightRows {
 public:
  explicit AffineWeightRows(const AffineMatrix& w) : WeightRows(w.rows, w.values), w_(w) {}
  void dot(const RowDot& p) const override { dot_affine(w_, p); }
  void widen(int64_t first, int64_t count, float* out, int64_t stride) const override {
    widen_affine(w_, first, count, out, stride);
  }

 private:
  AffineMatrix w_;
};

}  // namespace plimsoll::cpu::quantized
