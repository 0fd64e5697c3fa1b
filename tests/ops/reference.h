// What the tests of operations share: float64 values of arrays, random inputs, comparisons and finite differences.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "gtest/gtest.h"

namespace plimsoll::testing {

// The elements in row-major order.
inline std::vector<double> doubles(const array& a) {
  array wide = contiguous(reshape(astype(a, float64), {static_cast<ShapeElem>(a.size())}));
  wide.eval();
  if (a.size() == 0) return {};
  return {wide.data<double>(), wide.data<double>() + a.size()};
}

// Standard normal, rounded to the dtype.
inline array random_array(const Shape& shape, Dtype dtype, unsigned seed) {
  size_t count = 1;
  for (const ShapeElem dim : shape) count *= static_cast<size_t>(dim);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return astype(array(values.begin(), shape, float64), dtype);
}

// Half a unit in the last place of 1.
inline double epsilon(Dtype dtype) {
  if (dtype == float64) return 0x1p-53;
  if (dtype == float16) return 0x1p-11;
  return dtype == bfloat16 ? 0x1p-8 : 0x1p-24;
}

// |got - want| <= tolerance * (1 + |want|); NaN and infinities must agree. Prints the worst element.
inline void expect_close(const array& got, const std::vector<double>& want, double tolerance,
                         const std::string& what = {}) {
  const std::vector<double> values = doubles(got);
  ASSERT_EQ(values.size(), want.size()) << what;
  size_t bad = 0, worst = 0;
  double worst_error = -1;
  for (size_t i = 0; i < values.size(); ++i) {
    double error = std::abs(values[i] - want[i]) / (1 + std::abs(want[i]));
    if (values[i] == want[i] || (std::isnan(values[i]) && std::isnan(want[i]))) error = 0;
    if (!(error <= tolerance)) ++bad;
    if (!(error <= worst_error)) worst_error = error, worst = i;
  }
  EXPECT_EQ(bad, 0u) << what << ": of " << values.size() << " elements; worst is " << worst << ": " << values[worst]
                     << ", want " << want[worst] << " (" << got.dtype() << ", tolerance " << tolerance << ')';
}

inline void expect_matches(const array& got, const array& want, double tolerance, const std::string& what = {}) {
  EXPECT_EQ(got.shape(), want.shape()) << what;
  expect_close(got, doubles(want), tolerance, what);
}

// Compares the gradients of sum(f(inputs) * random weights) with central differences, for every input and up to
// `samples` elements of each. Inputs are float64.
inline void expect_gradients(const std::function<array(const std::vector<array>&)>& f, const std::vector<array>& inputs,
                             double tolerance = 1e-6, int samples = 12) {
  const array weights = random_array(f(inputs).shape(), float64, 77);
  const auto loss = [&](const std::vector<array>& x) { return sum(multiply(f(x), weights)); };
  std::vector<int> argnums;
  for (size_t i = 0; i < inputs.size(); ++i) argnums.push_back(static_cast<int>(i));
  const std::vector<array> gradients = grad(loss, argnums)(inputs);
  std::mt19937 random(5);
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_EQ(gradients[k].shape(), inputs[k].shape());
    const std::vector<double> analytic = doubles(gradients[k]), values = doubles(inputs[k]);
    for (int n = 0; n < samples && !values.empty(); ++n) {
      const size_t i = random() % values.size();
      const auto moved = [&](double step) {
        std::vector<double> changed = values;
        changed[i] += step;
        std::vector<array> x = inputs;
        x[k] = array(changed.begin(), inputs[k].shape(), float64);
        return doubles(loss(x))[0];
      };
      const double step = 1e-5;
      const double numeric = (moved(step) - moved(-step)) / (2 * step);
      EXPECT_NEAR(analytic[i], numeric, tolerance * (1 + std::abs(numeric))) << "input " << k << ", element " << i;
    }
  }
}

// The same values seen through layouts: row-major, transposed memory, every second element, reversed rows.
inline std::vector<array> layouts_of(const array& a) {
  const int last = static_cast<int>(a.ndim()) - 1;
  std::vector<array> layouts = {a};
  if (last > 0) {
    layouts.push_back(swapaxes(contiguous(swapaxes(a, 0, last)), 0, last));
    if (last > 1) layouts.push_back(swapaxes(contiguous(swapaxes(a, 0, 1)), 0, 1));
  }
  Shape start(a.ndim(), 0), stop = a.shape(), step(a.ndim(), 1);
  stop[last] *= 2, step[last] = 2;
  layouts.push_back(slice(repeat(a, 2, last), start, stop, step));
  layouts.push_back(flip(contiguous(flip(a, 0)), 0));
  return layouts;
}

}  // namespace plimsoll::testing
