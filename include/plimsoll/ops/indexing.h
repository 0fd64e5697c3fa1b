// Operations that read and write at indices. Negative indices count from the end. An index out of range is an error of
// the evaluation: reads of the result throw std::out_of_range; memory outside the array is never touched.
#pragma once

#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll {

// a[..., indices, ...] along an axis; without axis, of the flattened array.
array take(const array& a, const array& indices, int axis, StreamOrDevice s = {});
array take(const array& a, int index, int axis, StreamOrDevice s = {});
array take(const array& a, const array& indices, StreamOrDevice s = {});
array take(const array& a, int index, StreamOrDevice s = {});

// out[i, j] = a[indices[i, j], j] for axis 0, and so on; put_along_axis writes `values` there.
array take_along_axis(const array& a, const array& indices, int axis, StreamOrDevice s = {});
array put_along_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s = {});
array scatter_add_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s = {});

// Slices of `slice_sizes` at the positions that indices[k] give along axes[k]. The result has the indices' broadcast
// shape followed by slice_sizes.
array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes, const Shape& slice_sizes,
             StreamOrDevice s = {});
inline array gather(const array& a, const array& indices, int axis, const Shape& slice_sizes, StreamOrDevice s = {}) {
  return gather(a, std::vector<array>{indices}, std::vector<int>{axis}, slice_sizes, s);
}

// `a` with slices of `updates` written (or combined) at the positions that indices[k] give along axes[k]; updates has
// the shape that gather would return. At repeated positions one of the values wins for scatter; the others combine them
// all.
array scatter(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
              StreamOrDevice s = {});
array scatter_add(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s = {});
array scatter_prod(const array& a, const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes, StreamOrDevice s = {});
array scatter_max(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s = {});
array scatter_min(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s = {});

}  // namespace plimsoll
