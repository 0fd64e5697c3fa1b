// A batch of products as the kernels see it: sizes, strides and the axes of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/tensor.h"

namespace plimsoll::gpu {

// An operand of every member: element strides of rows and columns, and of the batch's axes.
struct ProductOperand {
  const Tensor* tensor = nullptr;
  int64_t row = 0, column = 0;
  Strides batch;
  int64_t offset = 0;  // of the first element that counts, in elements from the tensor's [0, 0, ...]
};

// out[m, n] = alpha * sum_k a[m, k] * b[k, n] + beta * c[m, n].
struct Product {
  int64_t M = 0, N = 0, K = 0;
  ProductOperand a, b, c, out;   // c.tensor null: there is none
  SmallVector<int64_t> lengths;  // of the batch's axes, outermost first
  int64_t members = 1;           // their product
  float alpha = 1.0f, beta = 0.0f;

  Dtype dtype() const { return out.tensor->dtype; }
  bool adds() const { return c.tensor != nullptr; }
};

// Joins axes of the batch that step evenly, folds the batch into M where b is shared, and turns a product with few
// columns and many rows around (out^T = b^T a^T), so that few rows are always a's. The tensors must live on.
// `c` null: no addend. Whatever it decides follows from shapes and strides alone.
Product product_of(const Tensor& a, const Tensor& b, const Tensor* c, const Tensor& out);

// The same with at most `axes` axes of batch, as many products as the outer ones have positions.
std::vector<Product> with_batch_axes(const Product& product, size_t axes);

}  // namespace plimsoll::gpu
