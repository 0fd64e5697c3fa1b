#include "graph/ops/matmul.h"

#include <algorithm>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

// Operands as the primitives take them, and what remains to be done to their product.
struct Operands {
  array a;
  array b;
  Shape shape;       // of the primitive's output
  bool drop_row;     // a was a vector
  bool drop_column;  // b was a vector
};

Shape leading(const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); }

Shape joined(Shape front, ShapeElem rows, ShapeElem columns) {
  front.push_back(rows);
  front.push_back(columns);
  return front;
}

void check_operands(const char* op, const array& a, const array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) ops::fail(op, "operands need at least one dimension; got a scalar");
  const ShapeElem inner_a = a.shape(-1), inner_b = b.shape(b.ndim() == 1 ? 0 : -2);
  if (inner_a == inner_b) return;
  ops::fail(op, "shapes " + ops::to_text(a.shape()) + " and " + ops::to_text(b.shape()) +
                    ": the last dimension of a (" + std::to_string(inner_a) + ") must equal the " +
                    (b.ndim() == 1 ? "length" : "second last dimension") + " of b (" + std::to_string(inner_b) + ")");
}

Operands prepare(const char* op, array a, array b, Dtype dtype, Stream stream) {
  check_operands(op, a, b);
  const bool drop_row = a.ndim() == 1, drop_column = b.ndim() == 1;
  a = astype(drop_row ? expand_dims(a, 0, stream) : a, dtype, stream);
  b = astype(drop_column ? expand_dims(b, 1, stream) : b, dtype, stream);
  Shape batch = leading(a.shape());
  if (b.ndim() > 2) {
    batch = broadcast_shapes(batch, leading(b.shape()));
    a = broadcast_to(a, joined(batch, a.shape(-2), a.shape(-1)), stream);
    b = broadcast_to(b, joined(batch, b.shape(-2), b.shape(-1)), stream);
  }
  Shape shape = joined(std::move(batch), a.shape(-2), b.shape(-1));
  return {std::move(a), std::move(b), std::move(shape), drop_row, drop_column};
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const size_t extra = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[extra + i]) return false;
  }
  return true;
}

// Without the axes that vectors were given.
array finish(array product, const Operands& o, Stream stream) {
  std::vector<int> axes;
  if (o.drop_row) axes.push_back(-2);
  if (o.drop_column) axes.push_back(-1);
  return axes.empty() ? product : squeeze(product, axes, stream);
}

array turned(const array& a, Stream s) { return swapaxes(a, -1, -2, s); }

// All rows of a batch under each other.
array stacked(const array& a, Stream s) { return a.ndim() == 2 ? a : flatten(a, 0, -2, s); }

array cotangent_of_a(const array& b, const array& cotangent, Stream s) { return matmul(cotangent, turned(b, s), s); }

// A shared b takes one product over all rows, not a sum of one product for each member of the batch.
array cotangent_of_b(const array& a, const array& b, const array& cotangent, Stream s) {
  if (b.ndim() == 2) return matmul(turned(stacked(a, s), s), stacked(cotangent, s), s);
  return matmul(turned(a, s), cotangent, s);
}

array scaled(const array& a, float factor, Stream s) {
  return factor == 1.0f ? a : multiply(a, array(factor, a.dtype()), s);
}

}  // namespace

std::vector<array> Matmul::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                               const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    products.push_back(argnum == 0 ? cotangent_of_a(primals[1], cotangents[0], stream())
                                   : cotangent_of_b(primals[0], primals[1], cotangents[0], stream()));
  }
  return products;
}

std::vector<array> Matmul::jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                               const std::vector<int>& argnums) {
  std::vector<array> terms;
  for (size_t i = 0; i < argnums.size(); ++i) {
    terms.push_back(argnums[i] == 0 ? matmul(tangents[i], primals[1], stream())
                                    : matmul(primals[0], tangents[i], stream()));
  }
  if (terms.size() == 2) return {add(terms[0], terms[1], stream())};
  return terms;
}

std::pair<std::vector<array>, std::vector<int>> Matmul::vmap(const std::vector<array>& inputs,
                                                             const std::vector<int>& axes) {
  array a = axes[0] < 0 ? expand_dims(inputs[0], 0, stream()) : moveaxis(inputs[0], axes[0], 0, stream());
  array b = axes[1] < 0 ? inputs[1] : moveaxis(inputs[1], axes[1], 0, stream());
  // A batched b [V, K, N] meets a [V, ..., M, K] through axes of size 1.
  while (axes[1] >= 0 && b.ndim() < a.ndim()) b = expand_dims(b, 1, stream());
  return {{matmul(a, b, stream())}, {0}};
}

std::vector<array> AddMM::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                              const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      products.push_back(scaled(cotangent_of_a(primals[1], cotangents[0], stream()), alpha_, stream()));
    } else if (argnum == 1) {
      products.push_back(scaled(cotangent_of_b(primals[0], primals[1], cotangents[0], stream()), alpha_, stream()));
    } else {
      products.push_back(scaled(cotangents[0], beta_, stream()));
    }
  }
  return products;
}

bool AddMM::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const AddMM&>(other);
  return alpha_ == o.alpha_ && beta_ == o.beta_;
}

array matmul(const array& a, const array& b, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Operands o = prepare("matmul", a, b, promote_types(a.dtype(), b.dtype()), stream);
  return finish(ops::make<Matmul>(o.shape, o.a.dtype(), stream, {o.a, o.b}), o, stream);
}

array addmm(const array& c, const array& a, const array& b, const float& alpha, const float& beta, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Dtype dtype = promote_types(promote_types(a.dtype(), b.dtype()), c.dtype());
  const Operands o = prepare("addmm", a, b, dtype, stream);
  array addend = astype(c, dtype, stream);
  if (o.drop_column) addend = expand_dims(addend, -1, stream);
  if (o.drop_row && addend.ndim() > 1) addend = expand_dims(addend, -2, stream);
  if (!broadcasts_to(addend.shape(), o.shape)) {
    ops::fail("addmm", "c of shape " + ops::to_text(c.shape()) + " does not broadcast to the product's shape " +
                           ops::to_text(o.shape));
  }
  addend = broadcast_to(addend, o.shape, stream);
  return finish(ops::make<AddMM>(o.shape, dtype, stream, {o.a, o.b, std::move(addend)}, alpha, beta), o, stream);
}

array outer(const array& a, const array& b, StreamOrDevice s) {
  return multiply(reshape(a, {static_cast<ShapeElem>(a.size()), 1}, s), flatten(b, s), s);
}

array inner(const array& a, const array& b, StreamOrDevice s) {
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b, s);
  if (a.shape(-1) != b.shape(-1)) {
    ops::fail("inner", "last dimensions of " + ops::to_text(a.shape()) + " and " + ops::to_text(b.shape()) + " differ");
  }
  return tensordot(a, b, {-1}, {-1}, s);
}

array tensordot(const array& a, const array& b, int axis, StreamOrDevice s) {
  if (axis < 0 || axis > static_cast<int>(std::min(a.ndim(), b.ndim()))) {
    ops::fail("tensordot", "axis " + std::to_string(axis) + " must lie between 0 and the dimensions of both operands");
  }
  std::vector<int> axes_a, axes_b;
  for (int i = 0; i < axis; ++i) {
    axes_a.push_back(static_cast<int>(a.ndim()) - axis + i);
    axes_b.push_back(i);
  }
  return tensordot(a, b, axes_a, axes_b, s);
}

array tensordot(const array& a, const array& b, const std::vector<int>& axes_a, const std::vector<int>& axes_b,
                StreamOrDevice s) {
  const std::vector<int> from_a = ops::normalize_axes("tensordot", axes_a, a.ndim());
  const std::vector<int> from_b = ops::normalize_axes("tensordot", axes_b, b.ndim());
  if (from_a.size() != from_b.size()) ops::fail("tensordot", "both operands need as many axes to sum over");
  ShapeElem inner_size = 1;
  for (size_t i = 0; i < from_a.size(); ++i) {
    if (a.shape(from_a[i]) != b.shape(from_b[i])) {
      ops::fail("tensordot",
                "summed axes of " + ops::to_text(a.shape()) + " and " + ops::to_text(b.shape()) + " differ");
    }
    inner_size *= a.shape(from_a[i]);
  }
  std::vector<int> order_a, order_b = from_b;
  Shape shape;
  ShapeElem rows = 1, columns = 1;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (std::find(from_a.begin(), from_a.end(), i) != from_a.end()) continue;
    order_a.push_back(i);
    shape.push_back(a.shape(i));
    rows *= a.shape(i);
  }
  for (int i = 0; i < static_cast<int>(b.ndim()); ++i) {
    if (std::find(from_b.begin(), from_b.end(), i) != from_b.end()) continue;
    order_b.push_back(i);
    shape.push_back(b.shape(i));
    columns *= b.shape(i);
  }
  order_a.insert(order_a.end(), from_a.begin(), from_a.end());
  const array left = reshape(transpose(a, order_a, s), {rows, inner_size}, s);
  const array right = reshape(transpose(b, order_b, s), {inner_size, columns}, s);
  return reshape(matmul(left, right, s), std::move(shape), s);
}

}  // namespace plimsoll
