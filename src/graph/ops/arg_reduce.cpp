#include "graph/ops/arg_reduce.h"

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using K = ArgReduce::Kind;

array arg_reduce(K kind, const char* op, const array& a, int axis, bool keepdims, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const int index = ops::normalize_axis(op, axis, a.ndim());
  if (a.shape()[index] == 0) ops::fail(op, "nothing to choose from: shape " + ops::to_text(a.shape()));
  Shape shape = a.shape();
  shape[index] = 1;
  const array out = ops::make<ArgReduce>(std::move(shape), uint32, stream, {a}, kind, index);
  return keepdims ? out : squeeze(out, index, stream);
}

array arg_reduce_all(K kind, const char* op, const array& a, bool keepdims, StreamOrDevice s) {
  const array out = arg_reduce(kind, op, flatten(a, s), 0, true, s);
  return reshape(out, keepdims ? Shape(a.ndim(), 1) : Shape{}, s);
}

}  // namespace

std::vector<array> ArgReduce::vjp(const std::vector<array>& primals, const std::vector<array>&, const std::vector<int>&,
                                  const std::vector<array>&) {
  return {zeros_like(primals[0], stream())};
}

bool ArgReduce::is_equivalent(const Primitive& other) const {
  const auto& reduce = static_cast<const ArgReduce&>(other);
  return kind_ == reduce.kind_ && axis_ == reduce.axis_;
}

array argmax(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return arg_reduce(K::kArgMax, "argmax", a, axis, keepdims, s);
}
array argmax(const array& a, bool keepdims, StreamOrDevice s) {
  return arg_reduce_all(K::kArgMax, "argmax", a, keepdims, s);
}
array argmin(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return arg_reduce(K::kArgMin, "argmin", a, axis, keepdims, s);
}
array argmin(const array& a, bool keepdims, StreamOrDevice s) {
  return arg_reduce_all(K::kArgMin, "argmin", a, keepdims, s);
}

}  // namespace plimsoll
