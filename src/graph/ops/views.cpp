#include "graph/ops/views.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

std::vector<int> inverse(const std::vector<int>& axes) {
  std::vector<int> inverted(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) inverted[axes[i]] = static_cast<int>(i);
  return inverted;
}

// Strides that read `input` as if broadcast to `shape`.
Strides broadcast_strides(const array& input, const Shape& shape) {
  Strides strides(shape.size(), 0);
  const size_t added = shape.size() - input.ndim();
  for (size_t i = added; i < shape.size(); ++i) {
    if (input.shape()[i - added] == shape[i]) strides[i] = input.strides()[i - added];
  }
  return strides;
}

Shape resolve_shape(const array& a, Shape shape) {
  int inferred = -1;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (inferred >= 0) ops::fail("reshape", "only one dimension can be inferred; got " + ops::to_text(shape));
      inferred = static_cast<int>(i);
    } else if (shape[i] < 0) {
      ops::fail("reshape", "dimension " + std::to_string(shape[i]) + " is negative");
    } else if (__builtin_mul_overflow(known, static_cast<int64_t>(shape[i]), &known)) {
      ops::fail("reshape", "the shape " + ops::to_text(shape) + " has more than 2^63 elements");
    }
  }
  const auto size = static_cast<int64_t>(a.size());
  if (inferred >= 0 && known > 0 && size % known == 0) {
    shape[inferred] = static_cast<ShapeElem>(size / known);
    known = size;
  }
  if (known != size || (inferred >= 0 && shape[inferred] == -1)) {
    ops::fail("reshape", "cannot reshape " + std::to_string(size) + " elements of shape " + ops::to_text(a.shape()) +
                             " to " + ops::to_text(shape));
  }
  return shape;
}

void check_as_strided(const array& a, const Shape& shape, const Strides& strides, size_t offset) {
  if (shape.size() != strides.size()) {
    ops::fail("as_strided", std::to_string(strides.size()) + " strides for " + std::to_string(shape.size()) + " axes");
  }
  if (element_count(shape) == 0) return;
  int64_t lowest = static_cast<int64_t>(offset);
  int64_t highest = lowest;
  bool overflow = lowest < 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 0;
    overflow |= __builtin_mul_overflow(strides[i], static_cast<int64_t>(shape[i] - 1), &reach);
    int64_t& end = reach < 0 ? lowest : highest;
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  if (overflow || lowest < 0 || highest >= static_cast<int64_t>(a.size())) {
    ops::fail("as_strided", "shape " + ops::to_text(shape) + " with these strides reaches outside of the " +
                                std::to_string(a.size()) + " elements");
  }
}

}  // namespace

bool reshape_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& out) {
  const std::array<Strides, 1> operand{strides};
  const CollapsedAxes runs = collapse_axes(from, operand);
  out.resize(to.size());
  // Each run of evenly spaced elements must be split exactly by the axes of the new shape.
  size_t run = runs.shape.size();
  int64_t left = 1;
  int64_t step = 1;
  for (size_t i = to.size(); i-- > 0;) {
    if (to[i] == 1) {
      out[i] = step;
      continue;
    }
    if (left == 1) {
      if (run == 0) return false;
      --run;
      left = runs.shape[run];
      step = runs.strides[0][run];
    }
    if (left % to[i] != 0) return false;
    out[i] = step;
    step *= to[i];
    left /= to[i];
  }
  return true;
}

void Copy::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_view(outputs[0], inputs[0].strides(), 0, plans[0]);
}

std::vector<array> Copy::vjp(const std::vector<array>&, const std::vector<array>& cotangents, const std::vector<int>&,
                             const std::vector<array>&) {
  return cotangents;
}

std::vector<array> StopGradient::vjp(const std::vector<array>& primals, const std::vector<array>&,
                                     const std::vector<int>&, const std::vector<array>&) {
  return {zeros_like(primals[0], stream())};
}

void Contiguous::plan(std::span<const array> inputs, std::span<const array> outputs,
                      std::span<OutputPlan> plans) const {
  const array::Flags& flags = inputs[0].flags();
  if (flags.row_contiguous || (allow_col_major_ && flags.col_contiguous)) {
    plan_view(outputs[0], inputs[0].strides(), 0, plans[0]);
  }
}

std::vector<array> Contiguous::vjp(const std::vector<array>&, const std::vector<array>& cotangents,
                                   const std::vector<int>&, const std::vector<array>&) {
  return cotangents;
}

bool Contiguous::is_equivalent(const Primitive& other) const {
  return allow_col_major_ == static_cast<const Contiguous&>(other).allow_col_major_;
}

void Reshape::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  Strides strides;
  if (outputs[0].size() == 0) {
    strides = row_major_strides(outputs[0].shape());
  } else if (!reshape_strides(inputs[0].shape(), inputs[0].strides(), outputs[0].shape(), strides)) {
    return;
  }
  plan_view(outputs[0], strides, 0, plans[0]);
}

std::vector<array> Reshape::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                const std::vector<int>&, const std::vector<array>&) {
  return {reshape(cotangents[0], primals[0].shape(), stream())};
}

bool Reshape::is_equivalent(const Primitive& other) const {
  return shape_ == static_cast<const Reshape&>(other).shape_;
}

void Transpose::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  Strides strides(axes_.size());
  for (size_t i = 0; i < axes_.size(); ++i) strides[i] = inputs[0].strides()[axes_[i]];
  plan_view(outputs[0], strides, 0, plans[0]);
}

std::vector<array> Transpose::vjp(const std::vector<array>&, const std::vector<array>& cotangents,
                                  const std::vector<int>&, const std::vector<array>&) {
  return {transpose(cotangents[0], inverse(axes_), stream())};
}

bool Transpose::is_equivalent(const Primitive& other) const {
  return axes_ == static_cast<const Transpose&>(other).axes_;
}

void Broadcast::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_view(outputs[0], broadcast_strides(inputs[0], shape_), 0, plans[0]);
}

std::vector<array> Broadcast::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                  const std::vector<int>&, const std::vector<array>&) {
  return {ops::sum_to_shape(cotangents[0], primals[0].shape(), stream())};
}

bool Broadcast::is_equivalent(const Primitive& other) const {
  return shape_ == static_cast<const Broadcast&>(other).shape_;
}

void AsStrided::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_view(outputs[0], strides_, static_cast<int64_t>(offset_ * inputs[0].itemsize()), plans[0]);
}

// Every element of the input receives the sum of the cotangents of the elements that show it.
std::vector<array> AsStrided::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                  const std::vector<int>&, const std::vector<array>&) {
  const array& cotangent = cotangents[0];
  const array positions = arange(0.0, static_cast<double>(primals[0].size()), int64, stream());
  const array shown = as_strided(positions, cotangent.shape(), strides_, offset_, stream());
  const array flat = flatten(shown, stream());
  const array updates = reshape(cotangent, {static_cast<ShapeElem>(cotangent.size()), 1}, stream());
  const array zero = zeros({static_cast<ShapeElem>(primals[0].size())}, cotangent.dtype(), stream());
  return {reshape(scatter_add(zero, {flat}, updates, {0}, stream()), primals[0].shape(), stream())};
}

bool AsStrided::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const AsStrided&>(other);
  return strides_ == o.strides_ && offset_ == o.offset_;
}

void View::plan(std::span<const array>, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_view(outputs[0], row_major_strides(outputs[0].shape()), 0, plans[0]);
}

std::vector<array> View::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                             const std::vector<int>&, const std::vector<array>&) {
  return {view(cotangents[0], primals[0].dtype(), stream())};
}

array copy(const array& a, StreamOrDevice s) { return ops::make<Copy>(a.shape(), a.dtype(), to_stream(s), {a}); }

array stop_gradient(const array& a, StreamOrDevice s) {
  return ops::make<StopGradient>(a.shape(), a.dtype(), to_stream(s), {a});
}

array contiguous(const array& a, bool allow_col_major, StreamOrDevice s) {
  return ops::make<Contiguous>(a.shape(), a.dtype(), to_stream(s), {a}, allow_col_major);
}

array view(const array& a, const Dtype& dtype, StreamOrDevice s) {
  if (a.dtype().val() == dtype.val()) return a;
  Shape shape = a.shape();
  const size_t from = a.itemsize();
  const size_t to = size_of(dtype);
  if (from != to) {
    const size_t bytes = a.ndim() == 0 ? 0 : static_cast<size_t>(shape.back()) * from;
    if (a.ndim() == 0 || bytes % to != 0) {
      ops::fail("view", "the last axis of shape " + ops::to_text(shape) + " cannot be seen as " +
                            std::string(name_of(dtype)) + ": its bytes are no multiple of " + std::to_string(to));
    }
    shape.back() = static_cast<ShapeElem>(bytes / to);
  }
  const Stream stream = to_stream(s);
  return ops::make<View>(std::move(shape), dtype, stream, {contiguous(a, false, stream)});
}

array reshape(const array& a, Shape shape, StreamOrDevice s) {
  shape = resolve_shape(a, std::move(shape));
  if (shape == a.shape()) return a;
  Shape copy_of_shape = shape;
  return ops::make<Reshape>(std::move(shape), a.dtype(), to_stream(s), {a}, std::move(copy_of_shape));
}

array unflatten(const array& a, int axis, Shape shape, StreamOrDevice s) {
  axis = ops::normalize_axis("unflatten", axis, a.ndim());
  if (shape.empty()) ops::fail("unflatten", "the shape to unflatten to is empty");
  Shape full(a.shape().begin(), a.shape().begin() + axis);
  // The inferred dimension belongs to this axis alone, also when other axes are empty.
  const int64_t known = std::accumulate(shape.begin(), shape.end(), int64_t{1},
                                        [](int64_t product, ShapeElem d) { return d == -1 ? product : product * d; });
  for (ShapeElem& dim : shape) {
    if (dim == -1 && known > 0) dim = static_cast<ShapeElem>(a.shape()[axis] / known);
  }
  full.insert(full.end(), shape.begin(), shape.end());
  full.insert(full.end(), a.shape().begin() + axis + 1, a.shape().end());
  return reshape(a, std::move(full), s);
}

array flatten(const array& a, int start_axis, int end_axis, StreamOrDevice s) {
  if (a.ndim() == 0) return reshape(a, {1}, s);
  const int start = ops::normalize_axis("flatten", start_axis, a.ndim());
  const int end = ops::normalize_axis("flatten", end_axis, a.ndim());
  if (end < start) ops::fail("flatten", "the end axis lies before the start axis");
  Shape shape(a.shape().begin(), a.shape().begin() + start);
  int64_t joined = 1;
  for (int i = start; i <= end; ++i) joined *= a.shape()[i];
  if (joined > std::numeric_limits<ShapeElem>::max())
    ops::fail("flatten", "the result has more than 2^31 - 1 elements");
  shape.push_back(static_cast<ShapeElem>(joined));
  shape.insert(shape.end(), a.shape().begin() + end + 1, a.shape().end());
  return reshape(a, std::move(shape), s);
}

array flatten(const array& a, StreamOrDevice s) { return flatten(a, 0, -1, s); }

array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  const std::vector<int> dropped = ops::normalize_axes("squeeze", axes, a.ndim());
  Shape shape;
  for (size_t i = 0; i < a.ndim(); ++i) {
    const bool drop = std::find(dropped.begin(), dropped.end(), static_cast<int>(i)) != dropped.end();
    if (drop && a.shape()[i] != 1) {
      ops::fail("squeeze", "axis " + std::to_string(i) + " of shape " + ops::to_text(a.shape()) + " is not of size 1");
    }
    if (!drop) shape.push_back(a.shape()[i]);
  }
  return reshape(a, std::move(shape), s);
}

array squeeze(const array& a, int axis, StreamOrDevice s) { return squeeze(a, std::vector<int>{axis}, s); }

array squeeze(const array& a, StreamOrDevice s) {
  std::vector<int> axes;
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (a.shape()[i] == 1) axes.push_back(static_cast<int>(i));
  }
  return squeeze(a, axes, s);
}

array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  const size_t ndim = a.ndim() + axes.size();
  std::vector<int> added = ops::normalize_axes("expand_dims", axes, ndim);
  std::sort(added.begin(), added.end());
  Shape shape = a.shape();
  for (const int axis : added) shape.insert(shape.begin() + axis, 1);
  return reshape(a, std::move(shape), s);
}

array expand_dims(const array& a, int axis, StreamOrDevice s) { return expand_dims(a, std::vector<int>{axis}, s); }

array transpose(const array& a, std::vector<int> axes, StreamOrDevice s) {
  axes = ops::normalize_axes("transpose", axes, a.ndim());
  if (axes.size() != a.ndim()) {
    ops::fail("transpose",
              std::to_string(axes.size()) + " axes for an array of " + std::to_string(a.ndim()) + " dimensions");
  }
  if (std::is_sorted(axes.begin(), axes.end())) return a;
  Shape shape(a.ndim());
  for (size_t i = 0; i < axes.size(); ++i) shape[i] = a.shape()[axes[i]];
  return ops::make<Transpose>(std::move(shape), a.dtype(), to_stream(s), {a}, std::move(axes));
}

array transpose(const array& a, StreamOrDevice s) {
  std::vector<int> axes = ops::all_axes(a.ndim());
  std::reverse(axes.begin(), axes.end());
  return transpose(a, std::move(axes), s);
}

array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s) {
  std::vector<int> axes = ops::all_axes(a.ndim());
  std::swap(axes[ops::normalize_axis("swapaxes", axis1, a.ndim())],
            axes[ops::normalize_axis("swapaxes", axis2, a.ndim())]);
  return transpose(a, std::move(axes), s);
}

array moveaxis(const array& a, int source, int destination, StreamOrDevice s) {
  source = ops::normalize_axis("moveaxis", source, a.ndim());
  destination = ops::normalize_axis("moveaxis", destination, a.ndim());
  std::vector<int> axes = ops::all_axes(a.ndim());
  axes.erase(axes.begin() + source);
  axes.insert(axes.begin() + destination, source);
  return transpose(a, std::move(axes), s);
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape = longer;
  const size_t added = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    ShapeElem& dim = shape[i + added];
    if (dim == 1) {
      dim = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != dim) {
      ops::fail("broadcast_shapes", "shapes " + ops::to_text(a) + " and " + ops::to_text(b) + " do not broadcast");
    }
  }
  return shape;
}

array broadcast_to(const array& a, const Shape& shape, StreamOrDevice s) {
  if (a.shape() == shape) return a;
  if (a.ndim() > shape.size() || broadcast_shapes(a.shape(), shape) != shape) {
    ops::fail("broadcast_to", "shape " + ops::to_text(a.shape()) + " does not broadcast to " + ops::to_text(shape));
  }
  return ops::make<Broadcast>(shape, a.dtype(), to_stream(s), {a}, shape);
}

std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s) {
  Shape shape;
  for (const array& input : inputs) shape = broadcast_shapes(shape, input.shape());
  std::vector<array> outputs;
  outputs.reserve(inputs.size());
  for (const array& input : inputs) outputs.push_back(broadcast_to(input, shape, s));
  return outputs;
}

array as_strided(const array& a, Shape shape, Strides strides, size_t offset, StreamOrDevice s) {
  check_as_strided(a, shape, strides, offset);
  const Stream stream = to_stream(s);
  return ops::make<AsStrided>(std::move(shape), a.dtype(), stream, {contiguous(a, false, stream)}, std::move(strides),
                              offset);
}

}  // namespace plimsoll
