#include "graph/ops/concatenate.h"

#include <limits>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

// a[start:stop] along one axis.
array slice_axis(const array& a, int axis, int start, int stop, StreamOrDevice s) {
  Shape from(a.ndim(), 0);
  Shape to = a.shape();
  from[axis] = start;
  to[axis] = stop;
  return slice(a, std::move(from), std::move(to), s);
}

Shape joined_shape(const std::vector<array>& arrays, int axis) {
  Shape shape = arrays[0].shape();
  int64_t length = 0;
  for (const array& a : arrays) {
    Shape other = a.shape();
    length += other.size() == shape.size() ? other[axis] : 0;
    if (other.size() == shape.size()) other[axis] = shape[axis];
    if (other != shape) {
      ops::fail("concatenate", "all shapes must agree except along axis " + std::to_string(axis) + "; got " +
                                   ops::to_text(arrays[0].shape()) + " and " + ops::to_text(a.shape()));
    }
  }
  if (length > std::numeric_limits<ShapeElem>::max()) {
    ops::fail("concatenate", "the result is longer than 2^31 - 1 along axis " + std::to_string(axis));
  }
  shape[axis] = static_cast<ShapeElem>(length);
  return shape;
}

}  // namespace

std::vector<array> Concatenate::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                    const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<int> starts{0};
  for (const array& primal : primals) starts.push_back(starts.back() + primal.shape()[axis_]);
  std::vector<array> products;
  for (const int argnum : argnums) {
    products.push_back(slice_axis(cotangents[0], axis_, starts[argnum], starts[argnum + 1], stream()));
  }
  return products;
}

bool Concatenate::is_equivalent(const Primitive& other) const {
  return axis_ == static_cast<const Concatenate&>(other).axis_;
}

array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s) {
  if (arrays.empty()) ops::fail("concatenate", "there is nothing to concatenate");
  axis = ops::normalize_axis("concatenate", axis, arrays[0].ndim());
  Shape shape = joined_shape(arrays, axis);
  if (arrays.size() == 1) return arrays[0];
  const Stream stream = to_stream(s);
  Dtype dtype = arrays[0].dtype();
  for (const array& a : arrays) dtype = promote_types(dtype, a.dtype());
  for (array& a : arrays) a = astype(a, dtype, stream);
  return ops::make<Concatenate>(std::move(shape), dtype, stream, std::move(arrays), axis);
}

array concatenate(std::vector<array> arrays, StreamOrDevice s) {
  for (array& a : arrays) a = flatten(a, s);
  return concatenate(std::move(arrays), 0, s);
}

array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s) {
  if (arrays.empty()) ops::fail("stack", "there is nothing to stack");
  for (const array& a : arrays) {
    if (a.shape() != arrays[0].shape()) {
      ops::fail("stack",
                "all shapes must agree; got " + ops::to_text(arrays[0].shape()) + " and " + ops::to_text(a.shape()));
    }
  }
  axis = ops::normalize_axis("stack", axis, arrays[0].ndim() + 1);
  std::vector<array> expanded;
  expanded.reserve(arrays.size());
  for (const array& a : arrays) expanded.push_back(expand_dims(a, axis, s));
  return concatenate(std::move(expanded), axis, s);
}

array stack(const std::vector<array>& arrays, StreamOrDevice s) { return stack(arrays, 0, s); }

std::vector<array> split(const array& a, const Shape& indices, int axis, StreamOrDevice s) {
  axis = ops::normalize_axis("split", axis, a.ndim());
  std::vector<array> parts;
  ShapeElem start = 0;
  for (const ShapeElem index : indices) {
    parts.push_back(slice_axis(a, axis, start, index, s));
    start = index;
  }
  parts.push_back(slice_axis(a, axis, start, a.shape()[axis], s));
  return parts;
}

std::vector<array> split(const array& a, const Shape& indices, StreamOrDevice s) { return split(a, indices, 0, s); }

std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s) {
  axis = ops::normalize_axis("split", axis, a.ndim());
  if (num_splits <= 0 || a.shape()[axis] % num_splits != 0) {
    ops::fail("split", "axis " + std::to_string(axis) + " of length " + std::to_string(a.shape()[axis]) +
                           " does not split into " + std::to_string(num_splits) + " equal parts");
  }
  Shape indices;
  const ShapeElem length = a.shape()[axis] / num_splits;
  for (int i = 1; i < num_splits; ++i) indices.push_back(i * length);
  return split(a, indices, axis, s);
}

std::vector<array> split(const array& a, int num_splits, StreamOrDevice s) { return split(a, num_splits, 0, s); }

array repeat(const array& a, int repeats, int axis, StreamOrDevice s) {
  axis = ops::normalize_axis("repeat", axis, a.ndim());
  if (repeats < 0) ops::fail("repeat", "the number of repeats is negative");
  Shape shape = a.shape();
  shape.insert(shape.begin() + axis + 1, repeats);
  const array repeated = broadcast_to(expand_dims(a, axis + 1, s), shape, s);
  Shape joined = a.shape();
  joined[axis] *= repeats;
  return reshape(repeated, std::move(joined), s);
}

array repeat(const array& a, int repeats, StreamOrDevice s) { return repeat(flatten(a, s), repeats, 0, s); }

array tile(const array& a, std::vector<int> reps, StreamOrDevice s) {
  Shape shape = a.shape();
  while (reps.size() < shape.size()) reps.insert(reps.begin(), 1);
  while (shape.size() < reps.size()) shape.insert(shape.begin(), 1);
  Shape spread;  // each axis behind an axis of length 1, which is then broadcast
  Shape target;
  Shape joined;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (reps[i] < 0) ops::fail("tile", "the number of repetitions is negative");
    spread.push_back(1);
    spread.push_back(shape[i]);
    target.push_back(reps[i]);
    target.push_back(shape[i]);
    joined.push_back(reps[i] * shape[i]);
  }
  return reshape(broadcast_to(reshape(a, std::move(spread), s), target, s), std::move(joined), s);
}

array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  Shape start(a.ndim(), 0);
  Shape stop = a.shape();
  Shape strides(a.ndim(), 1);
  for (const int axis : ops::normalize_axes("flip", axes, a.ndim())) {
    start[axis] = a.shape()[axis] - 1;
    stop[axis] = -a.shape()[axis] - 1;
    strides[axis] = -1;
  }
  return slice(a, std::move(start), std::move(stop), std::move(strides), s);
}

array flip(const array& a, int axis, StreamOrDevice s) { return flip(a, std::vector<int>{axis}, s); }

array roll(const array& a, int shift, int axis, StreamOrDevice s) {
  axis = ops::normalize_axis("roll", axis, a.ndim());
  const int length = a.shape()[axis];
  if (length == 0) return a;
  const int cut = ((-shift % length) + length) % length;
  if (cut == 0) return a;
  const std::vector<array> parts = split(a, Shape{cut}, axis, s);
  return concatenate({parts[1], parts[0]}, axis, s);
}

array roll(const array& a, int shift, StreamOrDevice s) {
  return reshape(roll(flatten(a, s), shift, 0, s), a.shape(), s);
}

namespace {

array pad_edge(array a, int axis, int low, int high, StreamOrDevice s) {
  if (a.shape()[axis] == 0) ops::fail("pad", "an empty axis has no edge to repeat");
  std::vector<array> parts;
  if (low > 0) parts.push_back(repeat(slice_axis(a, axis, 0, 1, s), low, axis, s));
  parts.push_back(a);
  if (high > 0) parts.push_back(repeat(slice_axis(a, axis, a.shape()[axis] - 1, a.shape()[axis], s), high, axis, s));
  return concatenate(std::move(parts), axis, s);
}

}  // namespace

array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size, const Shape& high_pad_size,
          const array& pad_value, const std::string& mode, StreamOrDevice s) {
  const std::vector<int> padded = ops::normalize_axes("pad", axes, a.ndim());
  if (padded.size() != low_pad_size.size() || padded.size() != high_pad_size.size()) {
    ops::fail("pad", "one low and one high size are needed for each axis");
  }
  Shape shape = a.shape();
  Shape start(a.ndim(), 0);
  for (size_t k = 0; k < padded.size(); ++k) {
    if (low_pad_size[k] < 0 || high_pad_size[k] < 0) ops::fail("pad", "sizes must not be negative");
    shape[padded[k]] += low_pad_size[k] + high_pad_size[k];
    start[padded[k]] = low_pad_size[k];
  }
  if (mode == "edge") {
    array out = a;
    for (size_t k = 0; k < padded.size(); ++k) out = pad_edge(out, padded[k], low_pad_size[k], high_pad_size[k], s);
    return out;
  }
  if (mode != "constant") ops::fail("pad", "mode '" + mode + "' is not one of constant, edge");
  if (pad_value.size() != 1) ops::fail("pad", "the padding value must be a scalar");
  Shape stop = start;
  for (size_t i = 0; i < a.ndim(); ++i) stop[i] += a.shape()[i];
  const array filled = full(shape, reshape(pad_value, Shape{}, s), a.dtype(), s);
  return slice_update(filled, a, std::move(start), std::move(stop), s);
}

array pad(const array& a, const std::vector<std::pair<int, int>>& pad_width, const array& pad_value,
          const std::string& mode, StreamOrDevice s) {
  Shape low;
  Shape high;
  for (const auto& [before, after] : pad_width) {
    low.push_back(before);
    high.push_back(after);
  }
  return pad(a, ops::all_axes(a.ndim()), low, high, pad_value, mode, s);
}

array pad(const array& a, int pad_width, const array& pad_value, const std::string& mode, StreamOrDevice s) {
  return pad(a, ops::all_axes(a.ndim()), Shape(a.ndim(), pad_width), Shape(a.ndim(), pad_width), pad_value, mode, s);
}

}  // namespace plimsoll
