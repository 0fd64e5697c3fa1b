#include "graph/ops/indexing.h"

#include <algorithm>
#include <stdexcept>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using Mode = Scatter::Mode;

void check_indices(const char* op, const array& indices) {
  if (!issubdtype(indices.dtype(), integer)) {
    ops::fail(op, "indices must be integers; got " + std::string(name_of(indices.dtype())));
  }
}

// The indices broadcast to one shape and, so that evaluators see one type, as int64 where uint64 would not do.
std::vector<array> prepare_indices(const char* op, const std::vector<array>& indices, const std::vector<int>& axes,
                                   StreamOrDevice s) {
  if (indices.size() != axes.size()) {
    ops::fail(op, std::to_string(indices.size()) + " index arrays for " + std::to_string(axes.size()) + " axes");
  }
  std::vector<array> prepared;
  for (const array& index : indices) {
    check_indices(op, index);
    prepared.push_back(index);
  }
  return broadcast_arrays(prepared, s);
}

std::vector<array> with_source(const array& source, std::vector<array> indices) {
  indices.insert(indices.begin(), source);
  return indices;
}

// Dividing by an element that other factors do not contain would be wrong where it is 0, so a product's cotangent is
// not offered.
std::vector<array> scatter_vjp(const Scatter& scatter_primitive, const std::vector<array>& primals, const array& ct,
                               const std::vector<int>& argnums, const array& out, Stream s) {
  const Mode mode = scatter_primitive.mode();
  if (mode == Mode::kProd) throw std::invalid_argument("[vjp] Scatter has no vjp rule for products");
  const std::vector<array> indices(primals.begin() + 2, primals.end());
  const std::vector<int>& axes = scatter_primitive.axes();
  const Shape slice_sizes(primals[1].shape().end() - primals[0].ndim(), primals[1].shape().end());
  const auto gathered = [&](const array& a) { return gather(a, indices, axes, slice_sizes, s); };
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum > 1) {
      products.push_back(zeros_like(primals[argnum], s));
    } else if (mode == Mode::kSum) {
      products.push_back(argnum == 0 ? ct : gathered(ct));
    } else if (mode == Mode::kNone) {
      products.push_back(argnum == 0 ? scatter(ct, indices, zeros_like(primals[1], s), axes, s) : gathered(ct));
    } else {
      // Maximum and minimum: to whatever the result shows.
      const array& shown = argnum == 0 ? out : gathered(out);
      const array& received = argnum == 0 ? ct : gathered(ct);
      products.push_back(where(equal(primals[argnum], shown, s), received, zeros_like(received, s), s));
    }
  }
  return products;
}

array scatter_with(const char* op, Mode mode, const array& a, const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const std::vector<int> positions = ops::normalize_axes(op, axes, a.ndim());
  const std::vector<array> prepared = prepare_indices(op, indices, positions, stream);
  const Shape index_shape = prepared.empty() ? Shape{} : prepared[0].shape();
  if (updates.ndim() != index_shape.size() + a.ndim()) {
    ops::fail(op, "updates need " + std::to_string(index_shape.size() + a.ndim()) +
                      " dimensions, the indices' and the array's; got shape " + ops::to_text(updates.shape()));
  }
  Shape wanted = index_shape;
  for (size_t i = 0; i < a.ndim(); ++i) {
    const ShapeElem size = updates.shape()[index_shape.size() + i];
    if (size > a.shape()[i]) {
      ops::fail(op, "slices of shape " + ops::to_text(updates.shape()) + " do not fit into " + ops::to_text(a.shape()));
    }
    wanted.push_back(size);
  }
  const array values = broadcast_to(astype(updates, a.dtype(), stream), wanted, stream);
  std::vector<array> inputs{a, values};
  inputs.insert(inputs.end(), prepared.begin(), prepared.end());
  return ops::make<Scatter>(a.shape(), a.dtype(), stream, std::move(inputs), mode, positions);
}

// Indices (and updates) along an axis must match the array in all other axes, up to broadcasting.
Shape along_axis_shape(const char* op, const array& a, const array& indices, int axis) {
  check_indices(op, indices);
  if (indices.ndim() != a.ndim()) {
    ops::fail(op, "indices need the " + std::to_string(a.ndim()) + " dimensions of the array; got " +
                      std::to_string(indices.ndim()));
  }
  Shape shape = a.shape();
  shape[axis] = 1;
  Shape index_shape = indices.shape();
  index_shape[axis] = 1;
  shape = broadcast_shapes(shape, index_shape);
  shape[axis] = indices.shape()[axis];
  return shape;
}

array scatter_axis(const char* op, ScatterAxis::Mode mode, const array& a, const array& indices, const array& values,
                   int axis, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  axis = ops::normalize_axis(op, axis, a.ndim());
  const Shape shape = along_axis_shape(op, a, indices, axis);
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (static_cast<int>(i) != axis && shape[i] != a.shape()[i]) {
      ops::fail(op, "indices of shape " + ops::to_text(indices.shape()) + " do not fit the array of shape " +
                        ops::to_text(a.shape()));
    }
  }
  const array typed = broadcast_to(astype(values, a.dtype(), stream), shape, stream);
  return ops::make<ScatterAxis>(a.shape(), a.dtype(), stream, {a, broadcast_to(indices, shape, stream), typed}, mode,
                                axis);
}

}  // namespace

std::vector<array> Gather::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                               const std::vector<int>& argnums, const std::vector<array>&) {
  const std::vector<array> indices(primals.begin() + 1, primals.end());
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      const array zero = zeros(primals[0].shape(), cotangents[0].dtype(), stream());
      products.push_back(scatter_add(zero, indices, cotangents[0], axes_, stream()));
    } else {
      products.push_back(zeros_like(primals[argnum], stream()));
    }
  }
  return products;
}

bool Gather::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const Gather&>(other);
  return axes_ == o.axes_ && slice_sizes_ == o.slice_sizes_;
}

void Scatter::plan(std::span<const array> inputs, std::span<const array>, std::span<OutputPlan> plans) const {
  if (inputs[0].flags().row_contiguous) plans[0].donors.push_back(0);
}

std::vector<array> Scatter::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                const std::vector<int>& argnums, const std::vector<array>& outputs) {
  return scatter_vjp(*this, primals, cotangents[0], argnums, outputs[0], stream());
}

bool Scatter::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const Scatter&>(other);
  return mode_ == o.mode_ && axes_ == o.axes_;
}

std::vector<array> GatherAxis::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                   const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      const array zero = zeros(primals[0].shape(), cotangents[0].dtype(), stream());
      products.push_back(scatter_add_axis(zero, primals[1], cotangents[0], axis_, stream()));
    } else {
      products.push_back(zeros_like(primals[1], stream()));
    }
  }
  return products;
}

bool GatherAxis::is_equivalent(const Primitive& other) const {
  return axis_ == static_cast<const GatherAxis&>(other).axis_;
}

void ScatterAxis::plan(std::span<const array> inputs, std::span<const array>, std::span<OutputPlan> plans) const {
  if (inputs[0].flags().row_contiguous) plans[0].donors.push_back(0);
}

std::vector<array> ScatterAxis::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                    const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 1) {
      products.push_back(zeros_like(primals[1], stream()));
    } else if (argnum == 2) {
      products.push_back(take_along_axis(cotangents[0], primals[1], axis_, stream()));
    } else if (mode_ == Mode::kSum) {
      products.push_back(cotangents[0]);
    } else {
      products.push_back(put_along_axis(cotangents[0], primals[1], array(0, cotangents[0].dtype()), axis_, stream()));
    }
  }
  return products;
}

bool ScatterAxis::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const ScatterAxis&>(other);
  return mode_ == o.mode_ && axis_ == o.axis_;
}

array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes, const Shape& slice_sizes,
             StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const std::vector<int> positions = ops::normalize_axes("gather", axes, a.ndim());
  const std::vector<array> prepared = prepare_indices("gather", indices, positions, stream);
  if (slice_sizes.size() != a.ndim()) {
    ops::fail("gather", "slice_sizes needs one entry for each of the " + std::to_string(a.ndim()) + " dimensions");
  }
  Shape shape = prepared.empty() ? Shape{} : prepared[0].shape();
  const bool reads = element_count(shape) > 0;
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (slice_sizes[i] < 0 || (reads && slice_sizes[i] > a.shape()[i])) {
      ops::fail("gather", "slices of " + ops::to_text(slice_sizes) + " do not fit into " + ops::to_text(a.shape()));
    }
  }
  shape.insert(shape.end(), slice_sizes.begin(), slice_sizes.end());
  return ops::make<Gather>(std::move(shape), a.dtype(), stream, with_source(a, prepared), positions, slice_sizes);
}

array scatter(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
              StreamOrDevice s) {
  return scatter_with("scatter", Mode::kNone, a, indices, updates, axes, s);
}
array scatter_add(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s) {
  return scatter_with("scatter_add", Mode::kSum, a, indices, updates, axes, s);
}
array scatter_prod(const array& a, const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes, StreamOrDevice s) {
  return scatter_with("scatter_prod", Mode::kProd, a, indices, updates, axes, s);
}
array scatter_max(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s) {
  return scatter_with("scatter_max", Mode::kMax, a, indices, updates, axes, s);
}
array scatter_min(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s) {
  return scatter_with("scatter_min", Mode::kMin, a, indices, updates, axes, s);
}

array take(const array& a, const array& indices, int axis, StreamOrDevice s) {
  axis = ops::normalize_axis("take", axis, a.ndim());
  check_indices("take", indices);
  if (indices.size() > 0 && a.shape()[axis] == 0) ops::fail("take", "cannot take from an empty axis");
  Shape slice_sizes = a.shape();
  slice_sizes[axis] = indices.size() == 0 ? 0 : 1;
  const array gathered = gather(a, indices, axis, slice_sizes, s);
  // The result has the indices' axes where the axis was.
  const int index_ndim = static_cast<int>(indices.ndim());
  std::vector<int> order;
  for (int i = 0; i < axis; ++i) order.push_back(index_ndim + i);
  for (int i = 0; i < index_ndim; ++i) order.push_back(i);
  for (int i = axis; i < static_cast<int>(a.ndim()); ++i) order.push_back(index_ndim + i);
  const array ordered = transpose(gathered, std::move(order), s);
  Shape shape = ordered.shape();
  shape.erase(shape.begin() + axis + index_ndim);
  return reshape(ordered, std::move(shape), s);
}

array take(const array& a, const array& indices, StreamOrDevice s) { return take(flatten(a, s), indices, 0, s); }

array take(const array& a, int index, int axis, StreamOrDevice s) {
  axis = ops::normalize_axis("take", axis, a.ndim());
  const int length = a.shape()[axis];
  if (index < -length || index >= length) {
    throw std::out_of_range("[take] index " + std::to_string(index) + " is out of range for axis " +
                            std::to_string(axis) + " of length " + std::to_string(length));
  }
  Shape start(a.ndim(), 0);
  Shape stop = a.shape();
  start[axis] = index < 0 ? index + length : index;
  stop[axis] = start[axis] + 1;
  return squeeze(slice(a, std::move(start), std::move(stop), s), axis, s);
}

array take(const array& a, int index, StreamOrDevice s) { return take(flatten(a, s), index, 0, s); }

array take_along_axis(const array& a, const array& indices, int axis, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  axis = ops::normalize_axis("take_along_axis", axis, a.ndim());
  const Shape shape = along_axis_shape("take_along_axis", a, indices, axis);
  if (a.shape()[axis] == 0 && element_count(shape) > 0) ops::fail("take_along_axis", "cannot take from an empty axis");
  Shape source_shape = shape;
  source_shape[axis] = a.shape()[axis];
  return ops::make<GatherAxis>(shape, a.dtype(), stream,
                               {broadcast_to(a, source_shape, stream), broadcast_to(indices, shape, stream)}, axis);
}

array put_along_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s) {
  return scatter_axis("put_along_axis", ScatterAxis::Mode::kNone, a, indices, values, axis, s);
}

array scatter_add_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s) {
  return scatter_axis("scatter_add_axis", ScatterAxis::Mode::kSum, a, indices, values, axis, s);
}

array diagonal(const array& a, int offset, int axis1, int axis2, StreamOrDevice s) {
  if (a.ndim() < 2) ops::fail("diagonal", "needs at least two dimensions; got " + std::to_string(a.ndim()));
  axis1 = ops::normalize_axis("diagonal", axis1, a.ndim());
  axis2 = ops::normalize_axis("diagonal", axis2, a.ndim());
  if (axis1 == axis2) ops::fail("diagonal", "the two axes must differ");
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (i != axis1 && i != axis2) order.push_back(i);
  }
  order.push_back(axis1);
  order.push_back(axis2);
  const array moved = transpose(a, order, s);
  const int rows = moved.shape(-2);
  const int columns = moved.shape(-1);
  const int row = offset < 0 ? -offset : 0;
  const int column = offset > 0 ? offset : 0;
  const int length = std::max(0, std::min(rows - row, columns - column));
  Shape shape(moved.shape().begin(), moved.shape().end() - 1);
  shape.back() = length;
  if (length == 0) return zeros(shape, a.dtype(), s);
  // Row i of the matrix, column i + column - row.
  const array at = expand_dims(arange(column, column + length, s), 1, s);
  Shape start(moved.ndim(), 0);
  Shape stop = moved.shape();
  start[moved.ndim() - 2] = row;
  stop[moved.ndim() - 2] = row + length;
  const array block = slice(moved, std::move(start), std::move(stop), s);
  Shape index_shape(moved.ndim(), 1);
  index_shape[moved.ndim() - 2] = length;
  return squeeze(take_along_axis(block, reshape(at, index_shape, s), -1, s), -1, s);
}

array diag(const array& a, int k, StreamOrDevice s) {
  if (a.ndim() == 2) return diagonal(a, k, 0, 1, s);
  if (a.ndim() != 1) ops::fail("diag", "needs one or two dimensions; got " + std::to_string(a.ndim()));
  const int offset = k < 0 ? -k : k;
  const int n = a.shape(0) + offset;
  const array rows = arange(k < 0 ? offset : 0, k < 0 ? n : n - offset, s);
  const array columns = arange(k > 0 ? offset : 0, k > 0 ? n : n - offset, s);
  return scatter(zeros({n, n}, a.dtype(), s), {rows, columns}, reshape(a, {a.shape(0), 1, 1}, s), {0, 1}, s);
}

auto array::ArrayIterator::operator*() const -> array { return take(*array_, index_, 0); }

}  // namespace plimsoll
