// What the tests of general operations share beyond reference.h: inputs of every dtype, broadcast and offset layouts,
// and reductions in float64.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reference.h"

namespace plimsoll::testing {

inline constexpr Dtype kRealDtypes[] = {bool_, uint8, uint16,  uint32,  uint64,  int8,    int16,
                                        int32, int64, float16, float32, float64, bfloat16};
inline constexpr Dtype kFloatDtypes[] = {float32, float16, bfloat16, float64};

inline bool is_float(Dtype dtype) { return issubdtype(dtype, floating); }

inline size_t element_count_of(const Shape& shape) {
  size_t count = 1;
  for (const ShapeElem dim : shape) count *= static_cast<size_t>(dim);
  return count;
}

// Whole numbers of [-9, 9] ([0, 9] for unsigned dtypes, 0 or 1 for bool_), normal numbers for floats.
inline array any_array(const Shape& shape, Dtype dtype, unsigned seed) {
  if (is_float(dtype)) return random_array(shape, dtype, seed);
  std::mt19937 random(seed);
  const int low = issubdtype(dtype, signedinteger) ? -9 : 0;
  const int high = dtype == bool_ ? 1 : 9;
  std::vector<double> values(element_count_of(shape));
  for (double& value : values) value = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  return array(values.begin(), shape, dtype);
}

// layouts_of, and the array as a part of a larger one: rows at an odd offset.
inline std::vector<array> all_layouts_of(const array& a) {
  if (a.ndim() == 0) return {a};
  std::vector<array> layouts = layouts_of(a);
  const int last = static_cast<int>(a.ndim()) - 1;
  const array padded = pad(a, std::vector<int>{last}, Shape{3}, Shape{2});
  Shape start(a.ndim(), 0), stop = a.shape();
  start[last] = 3, stop[last] += 3;
  layouts.push_back(slice(padded, start, stop));
  return layouts;
}

// Every nonempty set of axes of an array of `ndim` dimensions.
inline std::vector<std::vector<int>> axis_sets(size_t ndim) {
  std::vector<std::vector<int>> sets;
  for (unsigned mask = 1; mask < 1u << ndim; ++mask) {
    std::vector<int> axes;
    for (size_t i = 0; i < ndim; ++i) {
      if ((mask >> i & 1) != 0) axes.push_back(static_cast<int>(i));
    }
    sets.push_back(std::move(axes));
  }
  return sets;
}

// f of the elements that reducing `axes` combines, for each output in row-major order.
inline std::vector<double> reduce_reference(const array& a, const std::vector<int>& axes,
                                            const std::function<double(const std::vector<double>&)>& f) {
  const std::vector<double> values = doubles(a);
  std::vector<size_t> step(a.ndim(), 0);
  size_t outputs = 1;
  for (int axis = static_cast<int>(a.ndim()) - 1; axis >= 0; --axis) {
    bool reduced = false;
    for (const int r : axes) reduced = reduced || r == axis;
    if (reduced) continue;
    step[static_cast<size_t>(axis)] = outputs;
    outputs *= static_cast<size_t>(a.shape(axis));
  }
  std::vector<std::vector<double>> groups(outputs);
  for (size_t i = 0; i < values.size(); ++i) {
    size_t rest = i, output = 0;
    for (size_t axis = a.ndim(); axis-- > 0;) {
      output += rest % static_cast<size_t>(a.shape()[axis]) * step[axis];
      rest /= static_cast<size_t>(a.shape()[axis]);
    }
    groups[output].push_back(values[i]);
  }
  std::vector<double> out;
  for (const auto& group : groups) out.push_back(f(group));
  return out;
}

// What the call throws as std::invalid_argument; empty if nothing.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace plimsoll::testing
