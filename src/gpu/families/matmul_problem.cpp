#include "gpu/families/matmul_problem.h"

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "gpu/families/matmul_tiles.h"

namespace plimsoll::gpu {
namespace {

Strides batch_strides(const Tensor* t, size_t axes) {
  if (!t || t->shape.size() == 2) return Strides(axes, 0);  // shared by the whole batch
  return Strides(t->strides.begin(), t->strides.end() - 2);
}

// Axes of size 1 step nowhere, so that their strides forbid nothing.
ProductOperand operand_of(const Tensor* t) {
  if (!t) return {};
  return {t, t->dim(-2) == 1 ? 0 : t->stride(-2), t->dim(-1) == 1 ? 0 : t->stride(-1), {}, 0};
}

void read_batch(Product& p, const std::array<const Tensor*, 4>& tensors) {
  const Tensor& out = *tensors[3];
  const size_t axes = out.shape.size() - 2;
  std::vector<Strides> strides;
  for (const Tensor* tensor : tensors) strides.push_back(batch_strides(tensor, axes));
  CollapsedAxes collapsed = collapse_axes(Shape(out.shape.begin(), out.shape.end() - 2), strides);
  for (const int64_t length : collapsed.shape) p.members *= length;
  if (p.members == 1) return;
  p.lengths = std::move(collapsed.shape);
  ProductOperand* const operands[] = {&p.a, &p.b, &p.c, &p.out};
  for (int i = 0; i < 4; ++i) operands[i]->batch = std::move(collapsed.strides[i]);
}

// A b that all members share makes one product of them, when the rows of each other operand follow each other evenly.
void fold_batch(Product& p) {
  if (p.lengths.size() != 1 || p.b.batch[0] != 0) return;
  const int64_t rows = p.M * p.lengths[0];
  if (rows > std::numeric_limits<int32_t>::max()) return;
  ProductOperand* const operands[] = {&p.a, &p.out, &p.c};
  for (const ProductOperand* operand : operands) {
    if (operand->tensor && p.M > 1 && operand->batch[0] != p.M * operand->row) return;
  }
  for (ProductOperand* operand : operands) {
    if (!operand->tensor) continue;
    if (p.M == 1) operand->row = operand->batch[0];
    operand->batch.clear();
  }
  p.b.batch.clear();
  p.lengths.clear();
  p.members = 1;
  p.M = rows;
}

void turn_around(Product& p) {
  std::swap(p.M, p.N);
  std::swap(p.a, p.b);
  for (ProductOperand* operand : {&p.a, &p.b, &p.c, &p.out}) std::swap(operand->row, operand->column);
}

// The product at one position of the outermost axis of the batch.
Product peeled(const Product& product, int64_t position) {
  Product inner = product;
  inner.lengths.assign(product.lengths.begin() + 1, product.lengths.end());
  inner.members = product.members / product.lengths[0];
  for (ProductOperand* operand : {&inner.a, &inner.b, &inner.c, &inner.out}) {
    operand->offset += position * operand->batch[0];
    operand->batch = Strides(operand->batch.begin() + 1, operand->batch.end());
  }
  return inner;
}

}  // namespace

Product product_of(const Tensor& a, const Tensor& b, const Tensor* c, const Tensor& out) {
  Product p{.M = out.dim(-2),
            .N = out.dim(-1),
            .K = a.dim(-1),
            .a = operand_of(&a),
            .b = operand_of(&b),
            .c = operand_of(c),
            .out = operand_of(&out),
            .lengths = {}};
  // The output is row-major even where an axis has one element: kernels need its strides.
  p.out.row = p.N;
  p.out.column = 1;
  read_batch(p, {&a, &b, c, &out});
  fold_batch(p);
  if (p.N <= kFewRows && p.M > kFewRows) turn_around(p);
  return p;
}

std::vector<Product> with_batch_axes(const Product& product, size_t axes) {
  if (product.lengths.size() <= axes) return {product};
  std::vector<Product> products;
  for (int64_t i = 0; i < product.lengths[0]; ++i) {
    for (Product& inner : with_batch_axes(peeled(product, i), axes)) products.push_back(std::move(inner));
  }
  return products;
}

}  // namespace plimsoll::gpu
