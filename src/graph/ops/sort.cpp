#include "graph/ops/sort.h"

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

using K = Sort::Kind;

array sorted(K kind, const char* op, const array& a, int axis, StreamOrDevice s) {
  const int index = ops::normalize_axis(op, axis, a.ndim());
  return ops::make<Sort>(a.shape(), kind == K::kSort ? a.dtype() : uint32, to_stream(s), {a}, kind, index);
}

array partitioned(K kind, const char* op, const array& a, int kth, int axis, StreamOrDevice s) {
  const int index = ops::normalize_axis(op, axis, a.ndim());
  const int length = a.shape()[index];
  const int position = kth < 0 ? kth + length : kth;
  if (position < 0 || position >= length) {
    ops::fail(op, "kth " + std::to_string(kth) + " is out of range for " + std::to_string(length) + " elements");
  }
  const Dtype dtype = kind == K::kPartition ? a.dtype() : uint32;
  return ops::make<Sort>(a.shape(), dtype, to_stream(s), {a}, kind, index, position);
}

}  // namespace

const char* Sort::name() const {
  switch (kind_) {
    case K::kSort:
      return "Sort";
    case K::kArgSort:
      return "ArgSort";
    case K::kPartition:
      return "Partition";
    case K::kArgPartition:
      return "ArgPartition";
  }
  __builtin_unreachable();
}

// The cotangents go back to where the elements came from.
std::vector<array> Sort::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                             const std::vector<int>&, const std::vector<array>&) {
  const array& x = primals[0];
  if (gives_indices()) return {zeros_like(x, stream())};
  const array source =
      stop_gradient(is_partition() ? argpartition(x, kth_, axis_, stream()) : argsort(x, axis_, stream()), stream());
  return {put_along_axis(zeros_like(x, stream()), source, cotangents[0], axis_, stream())};
}

bool Sort::is_equivalent(const Primitive& other) const {
  const auto& sort = static_cast<const Sort&>(other);
  return kind_ == sort.kind_ && axis_ == sort.axis_ && kth_ == sort.kth_;
}

array sort(const array& a, int axis, StreamOrDevice s) { return sorted(K::kSort, "sort", a, axis, s); }
array sort(const array& a, StreamOrDevice s) { return sort(flatten(a, s), 0, s); }
array argsort(const array& a, int axis, StreamOrDevice s) { return sorted(K::kArgSort, "argsort", a, axis, s); }
array argsort(const array& a, StreamOrDevice s) { return argsort(flatten(a, s), 0, s); }

array partition(const array& a, int kth, int axis, StreamOrDevice s) {
  return partitioned(K::kPartition, "partition", a, kth, axis, s);
}
array partition(const array& a, int kth, StreamOrDevice s) { return partition(flatten(a, s), kth, 0, s); }
array argpartition(const array& a, int kth, int axis, StreamOrDevice s) {
  return partitioned(K::kArgPartition, "argpartition", a, kth, axis, s);
}
array argpartition(const array& a, int kth, StreamOrDevice s) { return argpartition(flatten(a, s), kth, 0, s); }

array topk(const array& a, int k, int axis, StreamOrDevice s) {
  const int index = ops::normalize_axis("topk", axis, a.ndim());
  const int length = a.shape()[index];
  if (k < 0 || k > length) {
    ops::fail("topk", "k " + std::to_string(k) + " is out of range for " + std::to_string(length) + " elements");
  }
  if (k == length) return a;
  Shape start(a.ndim(), 0);
  start[index] = length - k;
  if (k == 0) return slice(a, start, a.shape(), s);
  return slice(partition(a, length - k, index, s), start, a.shape(), s);
}
array topk(const array& a, int k, StreamOrDevice s) { return topk(flatten(a, s), k, 0, s); }

}  // namespace plimsoll
