#include "graph/ops/reduce.h"

#include <algorithm>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using K = ReduceKind;

std::vector<int> sorted_axes(const char* op, const array& a, const std::vector<int>& axes) {
  std::vector<int> sorted = ops::normalize_axes(op, axes, a.ndim());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

int64_t count_along(const array& a, const std::vector<int>& axes) {
  int64_t count = 1;
  for (const int axis : axes) count *= a.shape()[axis];
  return count;
}

// `axes` normalized and ascending.
array reduce(K kind, const array& a, const std::vector<int>& axes, bool keepdims, Dtype dtype, Stream s) {
  if (axes.empty()) return astype(a, dtype, s);
  Shape shape = a.shape();
  for (const int axis : axes) shape[axis] = 1;
  const array out = ops::make<Reduce>(std::move(shape), dtype, s, {a}, kind, axes);
  return keepdims ? out : squeeze(out, axes, s);
}

// Small integers are summed in 32 bits.
Dtype sum_dtype(Dtype dtype) {
  if (dtype == bool_) return int32;
  if (issubdtype(dtype, signedinteger)) return dtype.size() < 4 ? int32 : dtype;
  if (issubdtype(dtype, unsignedinteger)) return dtype.size() < 4 ? uint32 : dtype;
  return dtype;
}

// The dtype of sums that are still to be divided or squared.
Dtype wide_dtype(Dtype dtype) { return dtype == float64 || dtype == complex64 ? dtype : float32; }

array extremum(K kind, const char* op, const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  const std::vector<int> sorted = sorted_axes(op, a, axes);
  if (count_along(a, sorted) == 0) ops::fail(op, "nothing to choose from: shape " + ops::to_text(a.shape()));
  return reduce(kind, a, sorted, keepdims, a.dtype(), to_stream(s));
}

array wide_mean(const array& a, const std::vector<int>& axes, bool keepdims, Stream s) {
  const Dtype wide = wide_dtype(a.dtype());
  const array count(static_cast<double>(count_along(a, axes)), wide == complex64 ? float32 : wide);
  return divide(reduce(K::kSum, a, axes, keepdims, wide, s), count, s);
}

// Sum of squared distances to the mean over the count less ddof, in the wide dtype; real for complex numbers.
array wide_variance(const array& a, const std::vector<int>& axes, bool keepdims, int ddof, Stream s) {
  const array x = astype(a, wide_dtype(a.dtype()), s);
  const array distance = subtract(x, wide_mean(x, axes, true, s), s);
  const array squared =
      x.dtype() == complex64 ? add(square(real(distance, s), s), square(imag(distance, s), s), s) : square(distance, s);
  const int64_t freedom = std::max<int64_t>(count_along(a, axes) - ddof, 0);
  const array total = reduce(K::kSum, squared, axes, keepdims, squared.dtype(), s);
  return divide(total, array(static_cast<double>(freedom), squared.dtype()), s);
}

// The derivative of a product by each factor is the product of the others: those before it times those behind it, which
// holds where factors are zero too.
array product_of_others(const array& x, const std::vector<int>& axes, Stream s) {
  std::vector<int> order;
  Shape flat_shape;
  for (int axis = 0; axis < static_cast<int>(x.ndim()); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
    order.push_back(axis);
    flat_shape.push_back(x.shape()[axis]);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  flat_shape.push_back(static_cast<ShapeElem>(count_along(x, axes)));
  const array moved = transpose(x, order, s);
  const array flat = reshape(moved, flat_shape, s);
  const array others = multiply(cumprod(flat, -1, false, false, s), cumprod(flat, -1, true, false, s), s);
  std::vector<int> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int>(i);
  return transpose(reshape(others, moved.shape(), s), inverse, s);
}

}  // namespace

const char* Reduce::name() const {
  switch (kind_) {
    case K::kAll:
      return "All";
    case K::kAny:
      return "Any";
    case K::kSum:
      return "Sum";
    case K::kProd:
      return "Prod";
    case K::kMax:
      return "Max";
    case K::kMin:
      return "Min";
  }
  __builtin_unreachable();
}

std::vector<array> Reduce::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                               const std::vector<int>&, const std::vector<array>& outputs) {
  const array& x = primals[0];
  const array ct = astype(cotangents[0], x.dtype(), stream());
  switch (kind_) {
    case K::kSum:
      return {broadcast_to(ct, x.shape(), stream())};
    case K::kProd:
      return {multiply(ct, conjugate(product_of_others(x, axes_, stream()), stream()), stream())};
    case K::kMax:
    case K::kMin: {
      // Elements that tie share the cotangent evenly.
      const array chosen = equal(x, outputs[0], stream());
      const array count = astype(sum(chosen, axes_, true, stream()), x.dtype(), stream());
      return {where(chosen, divide(ct, count, stream()), zeros_like(ct, stream()), stream())};
    }
    default:
      return {zeros_like(x, stream())};
  }
}

bool Reduce::is_equivalent(const Primitive& other) const {
  const auto& reduce = static_cast<const Reduce&>(other);
  return kind_ == reduce.kind_ && axes_ == reduce.axes_;
}

array all(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce(K::kAll, astype(a, bool_, s), sorted_axes("all", a, axes), keepdims, bool_, to_stream(s));
}

array any(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce(K::kAny, astype(a, bool_, s), sorted_axes("any", a, axes), keepdims, bool_, to_stream(s));
}

array sum(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce(K::kSum, a, sorted_axes("sum", a, axes), keepdims, sum_dtype(a.dtype()), to_stream(s));
}

array prod(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce(K::kProd, a, sorted_axes("prod", a, axes), keepdims, sum_dtype(a.dtype()), to_stream(s));
}

array max(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return extremum(K::kMax, "max", a, axes, keepdims, s);
}

array min(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return extremum(K::kMin, "min", a, axes, keepdims, s);
}

array mean(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const array wide = wide_mean(a, sorted_axes("mean", a, axes), keepdims, stream);
  return astype(wide, ops::at_least_float(a.dtype()), stream);
}

array var(const array& a, const std::vector<int>& axes, bool keepdims, int ddof, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const array wide = wide_variance(a, sorted_axes("var", a, axes), keepdims, ddof, stream);
  return a.dtype() == complex64 ? wide : astype(wide, ops::at_least_float(a.dtype()), stream);
}

array std(const array& a, const std::vector<int>& axes, bool keepdims, int ddof, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const array wide = sqrt(wide_variance(a, sorted_axes("std", a, axes), keepdims, ddof, stream), stream);
  return a.dtype() == complex64 ? wide : astype(wide, ops::at_least_float(a.dtype()), stream);
}

#define PLIMSOLL_REDUCTION(name)                                          \
  array name(const array& a, bool keepdims, StreamOrDevice s) {           \
    return name(a, ops::all_axes(a.ndim()), keepdims, s);                 \
  }                                                                       \
  array name(const array& a, int axis, bool keepdims, StreamOrDevice s) { \
    return name(a, std::vector<int>{axis}, keepdims, s);                  \
  }
PLIMSOLL_REDUCTION(all)
PLIMSOLL_REDUCTION(any)
PLIMSOLL_REDUCTION(sum)
PLIMSOLL_REDUCTION(prod)
PLIMSOLL_REDUCTION(mean)
PLIMSOLL_REDUCTION(max)
PLIMSOLL_REDUCTION(min)
#undef PLIMSOLL_REDUCTION

array var(const array& a, int axis, bool keepdims, int ddof, StreamOrDevice s) {
  return var(a, std::vector<int>{axis}, keepdims, ddof, s);
}
array var(const array& a, bool keepdims, int ddof, StreamOrDevice s) {
  return var(a, ops::all_axes(a.ndim()), keepdims, ddof, s);
}
array std(const array& a, int axis, bool keepdims, int ddof, StreamOrDevice s) {
  return std(a, std::vector<int>{axis}, keepdims, ddof, s);
}
array std(const array& a, bool keepdims, int ddof, StreamOrDevice s) {
  return std(a, ops::all_axes(a.ndim()), keepdims, ddof, s);
}

}  // namespace plimsoll
