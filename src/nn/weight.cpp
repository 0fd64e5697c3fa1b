#include "plimsoll/nn/weight.h"

#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/ops.h"

namespace plimsoll::nn {

namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(fmt::format("[Weight] {}", what));
}

}  // namespace

Weight::Weight(DenseMatrix dense) : stored_(std::move(dense)) {
  const array& values = std::get<DenseMatrix>(stored_).values;
  require(values.ndim() == 2, "a dense weight has two dimensions");
  require(issubdtype(values.dtype(), floating), "a dense weight is of a floating dtype");
  rows_ = values.shape(0);
  columns_ = values.shape(1);
}

Weight::Weight(AffineMatrix affine) : stored_(std::move(affine)) {
  const auto& a = std::get<AffineMatrix>(stored_);
  require(a.packed.ndim() == 2 && a.packed.dtype() == uint32, "packed affine weights are uint32 with two dimensions");
  require(a.group_size > 0 && a.bits > 0, "group size and bits are positive");
  require(a.scales.ndim() == 2 && a.scales.shape() == a.biases.shape(), "scales and biases have one shape");
  require(a.scales.shape(0) == a.packed.shape(0), "scales have as many rows as the packed weights");
  require(int64_t{a.packed.shape(1)} * 32 == int64_t{a.scales.shape(1)} * a.group_size * a.bits,
          "packed weights and scales differ in columns");
  rows_ = a.packed.shape(0);
  columns_ = a.scales.shape(1) * a.group_size;
}

Weight::Weight(BlockMatrix block) : stored_(std::move(block)) {
  const auto& b = std::get<BlockMatrix>(stored_);
  require(b.blocks.ndim() == 2 && b.blocks.dtype() == uint8, "block weights are uint8 with two dimensions");
  require(b.blocks.shape(1) % block_bytes(b.format) == 0, "rows of block weights are whole blocks");
  rows_ = b.blocks.shape(0);
  columns_ = b.blocks.shape(1) / block_bytes(b.format) * block_values(b.format);
}

array Weight::product(const array& x) const {
  return std::visit(Overloaded{
                        [&](const DenseMatrix& w) { return astype(matmul(x, transpose(w.values)), x.dtype()); },
                        [&](const AffineMatrix& w) {
                          return quantized_matmul(x, w.packed, w.scales, w.biases, true, w.group_size, w.bits);
                        },
                        [&](const BlockMatrix& w) { return block_quantized_matmul(x, w.blocks, w.format); },
                    },
                    stored_);
}

array Weight::take_rows(const array& ids, Dtype dtype) const {
  return std::visit(Overloaded{
                        [&](const DenseMatrix& w) { return astype(take(w.values, ids, 0), dtype); },
                        [&](const AffineMatrix& w) {
                          // Few rows: expanded in float32 whatever the scales are stored as, and rounded once.
                          const auto taken = [&](const array& part) { return astype(take(part, ids, 0), float32); };
                          const array rows = dequantize(take(w.packed, ids, 0), taken(w.scales), taken(w.biases),
                                                        w.group_size, w.bits);
                          return astype(rows, dtype);
                        },
                        [&](const BlockMatrix& w) { return block_dequantize(take(w.blocks, ids, 0), w.format, dtype); },
                    },
                    stored_);
}

Weight Weight::with_dtype(Dtype dtype) const {
  return std::visit(Overloaded{
                        [&](const DenseMatrix& w) { return Weight(DenseMatrix{astype(w.values, dtype)}); },
                        [&](const AffineMatrix& w) {
                          return Weight(AffineMatrix{w.packed, astype(w.scales, dtype), astype(w.biases, dtype),
                                                     w.group_size, w.bits});
                        },
                        [&](const BlockMatrix& w) { return Weight(w); },
                    },
                    stored_);
}

}  // namespace plimsoll::nn
