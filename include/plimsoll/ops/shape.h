// Operations that rearrange: views where the layout allows, copies where it does not. Axes may be negative, counting
// from the end; one out of range or repeated throws std::invalid_argument.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll {

// One dimension may be -1: inferred. Throws when the element counts differ.
array reshape(const array& a, Shape shape, StreamOrDevice s = {});
array unflatten(const array& a, int axis, Shape shape, StreamOrDevice s = {});
array flatten(const array& a, int start_axis, int end_axis = -1, StreamOrDevice s = {});
array flatten(const array& a, StreamOrDevice s = {});
array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array squeeze(const array& a, int axis, StreamOrDevice s = {});
array squeeze(const array& a, StreamOrDevice s = {});
array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array expand_dims(const array& a, int axis, StreamOrDevice s = {});
array transpose(const array& a, std::vector<int> axes, StreamOrDevice s = {});
inline array transpose(const array& a, std::initializer_list<int> axes, StreamOrDevice s = {}) {
  return transpose(a, std::vector<int>(axes), s);
}
array transpose(const array& a, StreamOrDevice s = {});  // reverses the axes
array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s = {});
array moveaxis(const array& a, int source, int destination, StreamOrDevice s = {});
array broadcast_to(const array& a, const Shape& shape, StreamOrDevice s = {});
std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s = {});
// The shape that two shapes broadcast to. Throws std::invalid_argument naming both.
Shape broadcast_shapes(const Shape& a, const Shape& b);

// Strides and offset in elements of the row-major `a`. Throws when an element would lie outside of it.
array as_strided(const array& a, Shape shape, Strides strides, size_t offset, StreamOrDevice s = {});

// a[start:stop:strides] along each axis, with Python's rules for negative and out-of-range bounds and negative strides.
array slice(const array& a, Shape start, Shape stop, Shape strides, StreamOrDevice s = {});
array slice(const array& a, Shape start, Shape stop, StreamOrDevice s = {});
// Braces for `start` mean numbers known now.
inline array slice(const array& a, std::initializer_list<int> start, Shape stop, Shape strides, StreamOrDevice s = {}) {
  return slice(a, Shape(start), std::move(stop), std::move(strides), s);
}
// The same with starts known only at evaluation: `start` holds one integer for each of `axes`, clamped so that the
// slice of `slice_size` fits.
array slice(const array& a, const array& start, std::vector<int> axes, Shape slice_size, StreamOrDevice s = {});

// `src` with that slice replaced by `update`, broadcast to it. In place when nothing else owns `src`.
array slice_update(const array& src, const array& update, Shape start, Shape stop, Shape strides,
                   StreamOrDevice s = {});
array slice_update(const array& src, const array& update, Shape start, Shape stop, StreamOrDevice s = {});
inline array slice_update(const array& src, const array& update, std::initializer_list<int> start, Shape stop,
                          StreamOrDevice s = {}) {
  return slice_update(src, update, Shape(start), std::move(stop), s);
}
array slice_update(const array& src, const array& update, const array& start, std::vector<int> axes,
                   StreamOrDevice s = {});

std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s = {});
std::vector<array> split(const array& a, int num_splits, StreamOrDevice s = {});
std::vector<array> split(const array& a, const Shape& indices, int axis, StreamOrDevice s = {});
std::vector<array> split(const array& a, const Shape& indices, StreamOrDevice s = {});
array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s = {});
array concatenate(std::vector<array> arrays, StreamOrDevice s = {});
array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s = {});
array stack(const std::vector<array>& arrays, StreamOrDevice s = {});
array repeat(const array& a, int repeats, int axis, StreamOrDevice s = {});
array repeat(const array& a, int repeats, StreamOrDevice s = {});
array tile(const array& a, std::vector<int> reps, StreamOrDevice s = {});
array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array flip(const array& a, int axis, StreamOrDevice s = {});
array roll(const array& a, int shift, int axis, StreamOrDevice s = {});
array roll(const array& a, int shift, StreamOrDevice s = {});

// `mode` is "constant" or "edge".
array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size, const Shape& high_pad_size,
          const array& pad_value = array(0), const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, const std::vector<std::pair<int, int>>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, int pad_width, const array& pad_value = array(0), const std::string& mode = "constant",
          StreamOrDevice s = {});

array diagonal(const array& a, int offset = 0, int axis1 = 0, int axis2 = 1, StreamOrDevice s = {});
array diag(const array& a, int k = 0, StreamOrDevice s = {});

}  // namespace plimsoll
