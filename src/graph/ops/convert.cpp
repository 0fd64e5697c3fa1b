#include "graph/ops/convert.h"

#include <cmath>
#include <limits>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {

void AsType::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_elementwise(inputs, outputs, plans);
}

std::vector<array> AsType::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                               const std::vector<int>&, const std::vector<array>&) {
  return {astype(cotangents[0], primals[0].dtype(), stream())};
}

bool AsType::is_equivalent(const Primitive& other) const {
  return dtype_.val() == static_cast<const AsType&>(other).dtype_.val();
}

void Select::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_elementwise(inputs, outputs, plans);
}

std::vector<array> Select::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                               const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      products.push_back(zeros_like(primals[0], stream()));
      continue;
    }
    const array zero = zeros_like(cotangents[0], stream());
    products.push_back(argnum == 1 ? where(primals[0], cotangents[0], zero, stream())
                                   : where(primals[0], zero, cotangents[0], stream()));
  }
  return products;
}

bool Arange::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const Arange&>(other);
  return start_ == o.start_ && step_ == o.step_;
}

array astype(const array& a, Dtype dtype, StreamOrDevice s) {
  if (a.dtype().val() == dtype.val()) return a;
  return ops::make<AsType>(a.shape(), dtype, to_stream(s), {a}, dtype);
}

array where(const array& condition, const array& x, const array& y, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Dtype dtype = promote_types(x.dtype(), y.dtype());
  const Shape shape = broadcast_shapes(condition.shape(), broadcast_shapes(x.shape(), y.shape()));
  const auto prepared = [&](const array& a, Dtype d) { return broadcast_to(astype(a, d, stream), shape, stream); };
  return ops::make<Select>(shape, dtype, stream, {prepared(condition, bool_), prepared(x, dtype), prepared(y, dtype)});
}

array clip(const array& a, const std::optional<array>& a_min, const std::optional<array>& a_max, StreamOrDevice s) {
  if (!a_min && !a_max) ops::fail("clip", "at least one bound is needed");
  array out = a;
  if (a_min) out = maximum(out, *a_min, s);
  if (a_max) out = minimum(out, *a_max, s);
  return out;
}

array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s) {
  if (std::isnan(start) || std::isnan(stop) || std::isnan(step))
    ops::fail("arange", "start, stop and step must be numbers");
  if (dtype == bool_) ops::fail("arange", "bool is not a dtype of numbers");
  if (step == 0) ops::fail("arange", "the step must not be 0");
  const double length = std::ceil((stop - start) / step);
  if (length > std::numeric_limits<ShapeElem>::max() || std::isnan(length)) {
    ops::fail("arange", "the result would be longer than 2^31 - 1");
  }
  // Integers step by whole numbers, as if start and step had been converted first.
  const bool whole = issubdtype(dtype, integer);
  return ops::make<Arange>(Shape{static_cast<ShapeElem>(std::max(length, 0.0))}, dtype, to_stream(s), {},
                           whole ? std::trunc(start) : start,
                           whole ? std::trunc(start + step) - std::trunc(start) : step);
}

array arange(double start, double stop, double step, StreamOrDevice s) { return arange(start, stop, step, float32, s); }
array arange(double start, double stop, Dtype dtype, StreamOrDevice s) { return arange(start, stop, 1.0, dtype, s); }
array arange(double start, double stop, StreamOrDevice s) { return arange(start, stop, 1.0, float32, s); }
array arange(double stop, Dtype dtype, StreamOrDevice s) { return arange(0.0, stop, 1.0, dtype, s); }
array arange(double stop, StreamOrDevice s) { return arange(0.0, stop, 1.0, float32, s); }
array arange(int start, int stop, int step, StreamOrDevice s) {
  return arange(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step), int32, s);
}
array arange(int start, int stop, StreamOrDevice s) { return arange(start, stop, 1, s); }
array arange(int stop, StreamOrDevice s) { return arange(0, stop, 1, s); }

array linspace(double start, double stop, int num, Dtype dtype, StreamOrDevice s) {
  if (num < 0) ops::fail("linspace", "the number of samples, " + std::to_string(num) + ", is negative");
  const Dtype wide = dtype == float64 ? float64 : float32;
  if (num == 1) return astype(array({start}, wide), dtype, s);
  // Weighted from both ends, so that both are met exactly.
  const array t = divide(arange(0.0, num, wide, s), array(static_cast<double>(num - 1), wide), s);
  const array from = multiply(subtract(array(1, wide), t, s), array(start, wide), s);
  return astype(add(from, multiply(t, array(stop, wide), s), s), dtype, s);
}

array full(Shape shape, array vals, Dtype dtype, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  element_count(shape);
  return contiguous(broadcast_to(astype(vals, dtype, stream), shape, stream), false, stream);
}

array full(Shape shape, array vals, StreamOrDevice s) {
  const Dtype dtype = vals.dtype();
  return full(std::move(shape), std::move(vals), dtype, s);
}

array zeros(const Shape& shape, Dtype dtype, StreamOrDevice s) { return full(shape, array(0, dtype), dtype, s); }
array ones(const Shape& shape, Dtype dtype, StreamOrDevice s) { return full(shape, array(1, dtype), dtype, s); }
array zeros_like(const array& a, StreamOrDevice s) { return zeros(a.shape(), a.dtype(), s); }
array ones_like(const array& a, StreamOrDevice s) { return ones(a.shape(), a.dtype(), s); }

namespace {

// Whether element [i, j] of an n x m matrix lies on (equal) or at and below (less_equal) diagonal k.
array compare_diagonal(int n, int m, int k, array (*compare)(const array&, const array&, StreamOrDevice),
                       StreamOrDevice s) {
  if (n < 0 || m < 0) ops::fail("eye", "sizes must not be negative");
  const array rows = expand_dims(arange(k, n + k, s), 1, s);
  const array columns = expand_dims(arange(m, s), 0, s);
  return compare(columns, rows, s);
}

void require_matrix(const char* op, const array& x) {
  if (x.ndim() < 2) ops::fail(op, "needs at least two dimensions; got " + std::to_string(x.ndim()));
}

}  // namespace

array eye(int n, int m, int k, Dtype dtype, StreamOrDevice s) {
  return astype(compare_diagonal(n, m, k, equal, s), dtype, s);
}

array identity(int n, Dtype dtype, StreamOrDevice s) { return eye(n, n, 0, dtype, s); }

array tri(int n, int m, int k, Dtype dtype, StreamOrDevice s) {
  return astype(compare_diagonal(n, m, k, less_equal, s), dtype, s);
}

array tril(const array& x, int k, StreamOrDevice s) {
  require_matrix("tril", x);
  return where(compare_diagonal(x.shape(-2), x.shape(-1), k, less_equal, s), x, zeros_like(x, s), s);
}

array triu(const array& x, int k, StreamOrDevice s) {
  require_matrix("triu", x);
  return where(compare_diagonal(x.shape(-2), x.shape(-1), k - 1, less_equal, s), zeros_like(x, s), x, s);
}

}  // namespace plimsoll
