// Operations that combine elements along axes. Without axes: all of them. `keepdims` keeps reduced axes with size 1.
// Sums of bool_ and of integers below 32 bits are int32 (uint32 for unsigned); half types accumulate in float32.
#pragma once

#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll {

#define PLIMSOLL_REDUCTION(name)                                                                          \
  array name(const array& a, bool keepdims, StreamOrDevice s = {});                                       \
  inline array name(const array& a, StreamOrDevice s = {}) { return name(a, false, s); }                  \
  array name(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {}); \
  array name(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

PLIMSOLL_REDUCTION(all)
PLIMSOLL_REDUCTION(any)
PLIMSOLL_REDUCTION(sum)
PLIMSOLL_REDUCTION(prod)
PLIMSOLL_REDUCTION(mean)
PLIMSOLL_REDUCTION(max)  // of nothing: std::invalid_argument; NaN if an element is
PLIMSOLL_REDUCTION(min)
PLIMSOLL_REDUCTION(logsumexp)
#undef PLIMSOLL_REDUCTION

array var(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array var(const array& a, int axis, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array var(const array& a, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, int axis, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});

// Index of the first largest (smallest) element, as uint32; of the first NaN, if there is one. Without axis: in the
// flattened array. Of nothing: std::invalid_argument.
array argmax(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array argmax(const array& a, bool keepdims = false, StreamOrDevice s = {});
array argmin(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array argmin(const array& a, bool keepdims = false, StreamOrDevice s = {});

// exp(a) / sum(exp(a)) over the axes; `precise` keeps float32 inside for half types.
array softmax(const array& a, const std::vector<int>& axes, bool precise = false, StreamOrDevice s = {});
array softmax(const array& a, int axis, bool precise = false, StreamOrDevice s = {});
array softmax(const array& a, bool precise = false, StreamOrDevice s = {});

// Running sums and so on along an axis (without one: of the flattened array), in `reverse` from the end. Without
// `inclusive` element i combines those before i alone. Sums of bool_ are int32, everything else keeps its dtype; maxima
// and minima are NaN from the first NaN on.
#define PLIMSOLL_SCAN(name)                                                                                 \
  array name(const array& a, int axis, bool reverse = false, bool inclusive = true, StreamOrDevice s = {}); \
  array name(const array& a, bool reverse = false, bool inclusive = true, StreamOrDevice s = {});

PLIMSOLL_SCAN(cumsum)
PLIMSOLL_SCAN(cumprod)
PLIMSOLL_SCAN(cummax)
PLIMSOLL_SCAN(cummin)
#undef PLIMSOLL_SCAN

// Ascending and stable; NaN last, complex numbers by their real parts first. Without axis: of the flattened array.
// Indices are uint32.
array sort(const array& a, int axis, StreamOrDevice s = {});
array sort(const array& a, StreamOrDevice s = {});
array argsort(const array& a, int axis, StreamOrDevice s = {});
array argsort(const array& a, StreamOrDevice s = {});
// The element that sorting puts at `kth` is there, smaller ones before it, larger ones behind, neither in any
// particular order; a negative kth counts from the end. Without axis: of the flattened array.
array partition(const array& a, int kth, int axis, StreamOrDevice s = {});
array partition(const array& a, int kth, StreamOrDevice s = {});
array argpartition(const array& a, int kth, int axis, StreamOrDevice s = {});
array argpartition(const array& a, int kth, StreamOrDevice s = {});
// The k largest along the axis, in no particular order. Without axis: of the flattened array.
array topk(const array& a, int k, int axis, StreamOrDevice s = {});
array topk(const array& a, int k, StreamOrDevice s = {});

}  // namespace plimsoll
