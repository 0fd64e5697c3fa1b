// What the operations share: argument checks and small conversions. `op` is the name that messages start with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"
#include "graph/primitive.h"

namespace plimsoll::ops {

std::string to_text(const Shape& shape);  // "(2,3)"

// Throws std::invalid_argument: "[op] " + what.
[[noreturn]] void fail(const char* op, const std::string& what);

// The axis counted from the front. Throws when out of range.
int normalize_axis(const char* op, int axis, size_t ndim);

// All counted from the front, in the order given. Throws when one is out of range or repeated.
std::vector<int> normalize_axes(const char* op, const std::vector<int>& axes, size_t ndim);

// 0, 1, ... ndim - 1.
std::vector<int> all_axes(size_t ndim);

// A one-output array of primitive P on the stream.
template <typename P, typename... Args>
array make(Shape shape, Dtype dtype, Stream stream, std::vector<array> inputs, Args&&... args) {
  return array(std::move(shape), dtype, std::make_shared<P>(stream, std::forward<Args>(args)...), std::move(inputs));
}

// The dtype that a function of real numbers computes in: floats and complex as they are, everything else float32.
Dtype at_least_float(Dtype dtype);

// Sums `a` down to `shape`, which was broadcast to a's: the gradient of broadcasting.
array sum_to_shape(const array& a, const Shape& shape, Stream stream);

}  // namespace plimsoll::ops
