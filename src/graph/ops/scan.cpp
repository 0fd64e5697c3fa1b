#include "graph/ops/scan.h"

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using K = ScanKind;

array scan(K kind, const char* op, const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) {
  const int index = ops::normalize_axis(op, axis, a.ndim());
  const Dtype dtype = kind == K::kCumSum && a.dtype() == bool_ ? int32 : a.dtype();
  return ops::make<Scan>(a.shape(), dtype, to_stream(s), {a}, kind, index, reverse, inclusive);
}

// The position along the axis that each element of a running extremum came from; negative where there is none.
array source_index(const Scan& scan, const array& x, Stream s) {
  const int axis = scan.axis();
  const bool is_max = scan.kind() == K::kCumMax;
  const auto running = [&](const array& v) {
    return is_max ? cummax(v, axis, scan.reverse(), false, s) : cummin(v, axis, scan.reverse(), false, s);
  };
  const array before = running(x);
  Shape along(x.ndim(), 1);
  along[axis] = x.shape()[axis];
  const int n = x.shape()[axis];
  const array position = reshape(arange(n, s), along, s);
  const array first = equal(position, array(scan.reverse() ? n - 1 : 0), s);
  const array beats = is_max ? greater(x, before, s) : less(x, before, s);
  const array advances = logical_or(logical_or(beats, isnan(x, s), s), first, s);
  // Positions grow along the scan's direction.
  const array order = scan.reverse() ? subtract(array(n - 1), position, s) : position;
  const array latest = cummax(where(advances, order, array(-1), s), axis, scan.reverse(), scan.inclusive(), s);
  return scan.reverse() ? where(less(latest, array(0), s), array(-1), subtract(array(n - 1), latest, s), s) : latest;
}

array extremum_gradient(const Scan& scan, const array& x, const array& ct, Stream s) {
  const array source = source_index(scan, x, s);
  const array none = less(source, array(0), s);
  const array index = where(none, array(0), source, s);
  return scatter_add_axis(zeros_like(ct, s), index, where(none, zeros_like(ct, s), ct, s), scan.axis(), s);
}

// The derivative of y[i] = x[0] ... x[i] by x[k] is y[i] / x[k]. At the first zero it is the product without that zero;
// behind it, 0.
array product_gradient(const Scan& scan, const array& x, const array& y, const array& ct, Stream s) {
  const auto summed = [&](const array& products) {
    return cumsum(multiply(ct, products, s), scan.axis(), !scan.reverse(), scan.inclusive(), s);
  };
  const array zero = equal(x, zeros_like(x, s), s);
  const array zeros_so_far = cumsum(zero, scan.axis(), scan.reverse(), true, s);
  const array first_zero = logical_and(zero, equal(zeros_so_far, array(1), s), s);
  const array without = where(first_zero, ones_like(x, s), x, s);
  const array at_zero = summed(cumprod(without, scan.axis(), scan.reverse(), scan.inclusive(), s));
  const array before_zero = divide(summed(y), without, s);
  const array reached = where(first_zero, at_zero, zeros_like(x, s), s);
  return where(equal(zeros_so_far, array(0), s), before_zero, reached, s);
}

}  // namespace

const char* Scan::name() const {
  switch (kind_) {
    case K::kCumSum:
      return "CumSum";
    case K::kCumProd:
      return "CumProd";
    case K::kCumMax:
      return "CumMax";
    case K::kCumMin:
      return "CumMin";
  }
  __builtin_unreachable();
}

void Scan::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_elementwise(inputs, outputs, plans);
}

std::vector<array> Scan::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                             const std::vector<int>&, const std::vector<array>& outputs) {
  const array& x = primals[0];
  const array& ct = cotangents[0];
  switch (kind_) {
    case K::kCumSum:
      return {astype(cumsum(ct, axis_, !reverse_, inclusive_, stream()), x.dtype(), stream())};
    case K::kCumProd:
      return {product_gradient(*this, x, outputs[0], ct, stream())};
    case K::kCumMax:
    case K::kCumMin:
      return {extremum_gradient(*this, x, ct, stream())};
  }
  __builtin_unreachable();
}

bool Scan::is_equivalent(const Primitive& other) const {
  const auto& scan = static_cast<const Scan&>(other);
  return kind_ == scan.kind_ && axis_ == scan.axis_ && reverse_ == scan.reverse_ && inclusive_ == scan.inclusive_;
}

#define PLIMSOLL_SCAN(function, kind)                                                        \
  array function(const array& a, int axis, bool reverse, bool inclusive, StreamOrDevice s) { \
    return scan(K::kind, #function, a, axis, reverse, inclusive, s);                         \
  }                                                                                          \
  array function(const array& a, bool reverse, bool inclusive, StreamOrDevice s) {           \
    return scan(K::kind, #function, flatten(a, s), 0, reverse, inclusive, s);                \
  }
PLIMSOLL_SCAN(cumsum, kCumSum)
PLIMSOLL_SCAN(cumprod, kCumProd)
PLIMSOLL_SCAN(cummax, kCumMax)
PLIMSOLL_SCAN(cummin, kCumMin)
#undef PLIMSOLL_SCAN

}  // namespace plimsoll
