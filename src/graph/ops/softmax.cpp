#include "graph/ops/softmax.h"

#include <algorithm>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"
#include "graph/ops/rows.h"

namespace plimsoll {
namespace {

// An array with some axes joined into a last one.
struct JoinedAxes {
  array joined;
  std::vector<int> order;  // the permutation that brought them there
  Shape inner;             // their sizes
};

JoinedAxes join_axes(const array& a, const std::vector<int>& axes, Stream s) {
  JoinedAxes result{a, {}, {}};
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) result.order.push_back(axis);
  }
  const size_t outer = result.order.size();
  result.order.insert(result.order.end(), axes.begin(), axes.end());
  for (const int axis : axes) result.inner.push_back(a.shape()[axis]);
  if (!std::is_sorted(result.order.begin(), result.order.end())) result.joined = transpose(a, result.order, s);
  if (axes.size() != 1) {
    Shape shape(result.joined.shape().begin(), result.joined.shape().begin() + outer);
    shape.push_back(static_cast<ShapeElem>(element_count(result.inner)));
    result.joined = reshape(result.joined, shape, s);
  }
  return result;
}

// Undoes join_axes for an array of the joined one's shape.
array part_axes(const array& joined, const JoinedAxes& axes, Stream s) {
  array out = joined;
  if (axes.inner.size() != 1) {
    Shape shape(out.shape().begin(), out.shape().end() - 1);
    shape.insert(shape.end(), axes.inner.begin(), axes.inner.end());
    out = reshape(out, shape, s);
  }
  if (std::is_sorted(axes.order.begin(), axes.order.end())) return out;
  std::vector<int> inverse(axes.order.size());
  for (size_t i = 0; i < inverse.size(); ++i) inverse[axes.order[i]] = static_cast<int>(i);
  return transpose(out, inverse, s);
}

array as_real(const char* op, const array& a, Stream s) {
  if (a.dtype() == complex64) ops::fail(op, "is not defined for complex64");
  return astype(a, ops::at_least_float(a.dtype()), s);
}

std::vector<int> sorted_axes(const char* op, const std::vector<int>& axes, const array& a) {
  std::vector<int> sorted = ops::normalize_axes(op, axes, a.ndim());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

void Softmax::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_rows(inputs, outputs, plans);
}

std::vector<array> Softmax::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                const std::vector<int>&, const std::vector<array>& outputs) {
  const Dtype wide = ops::wide_dtype(primals[0].dtype());
  const array y = astype(outputs[0], wide, stream());
  const array weighted = multiply(y, astype(cotangents[0], wide, stream()), stream());
  const array total = sum(weighted, -1, true, stream());
  return {astype(subtract(weighted, multiply(y, total, stream()), stream()), primals[0].dtype(), stream())};
}

std::vector<array> LogSumExp::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                  const std::vector<int>&, const std::vector<array>&) {
  return {multiply(cotangents[0], softmax(primals[0], -1, true, stream()), stream())};
}

array softmax(const array& a, const std::vector<int>& axes, bool, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const std::vector<int> sorted = sorted_axes("softmax", axes, a);
  array x = as_real("softmax", a, stream);
  if (x.size() == 0) return x;
  const JoinedAxes rows = join_axes(x, sorted, stream);
  return part_axes(ops::make<Softmax>(rows.joined.shape(), x.dtype(), stream, {rows.joined}), rows, stream);
}

array softmax(const array& a, int axis, bool precise, StreamOrDevice s) {
  return softmax(a, std::vector<int>{axis}, precise, s);
}

array softmax(const array& a, bool precise, StreamOrDevice s) {
  return softmax(a, ops::all_axes(a.ndim()), precise, s);
}

array logsumexp(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const std::vector<int> sorted = sorted_axes("logsumexp", axes, a);
  const array x = as_real("logsumexp", a, stream);
  const array rows = join_axes(x, sorted, stream).joined;
  Shape shape = rows.shape();
  shape.back() = 1;
  const array out = squeeze(ops::make<LogSumExp>(shape, x.dtype(), stream, {rows}), -1, stream);
  return keepdims ? expand_dims(out, sorted, stream) : out;
}

array logsumexp(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return logsumexp(a, std::vector<int>{axis}, keepdims, s);
}

array logsumexp(const array& a, bool keepdims, StreamOrDevice s) {
  return logsumexp(a, ops::all_axes(a.ndim()), keepdims, s);
}

}  // namespace plimsoll
