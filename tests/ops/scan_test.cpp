// Running sums, products and extrema against float64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

const float kNaN = std::numeric_limits<float>::quiet_NaN();

using Combine = double (*)(double, double);

struct Case {
  const char* name;
  array (*op)(const array&, int, bool, bool, StreamOrDevice);
  Combine combine;
  double identity;
};
const Case kCases[] = {{"cumsum", cumsum, [](double a, double b) { return a + b; }, 0},
                       {"cumprod", cumprod, [](double a, double b) { return a * b; }, 1},
                       {"cummax", cummax, [](double a, double b) { return std::max(a, b); }, -INFINITY},
                       {"cummin", cummin, [](double a, double b) { return std::min(a, b); }, INFINITY}};

// Along the last axis.
std::vector<double> reference(const Case& c, const array& a, bool reverse, bool inclusive) {
  std::vector<double> x = doubles(a);
  const size_t length = static_cast<size_t>(a.shape(-1));
  for (size_t row = 0; row < x.size(); row += length) {
    double running = c.identity;
    for (size_t i = 0; i < length; ++i) {
      double& element = x[row + (reverse ? length - 1 - i : i)];
      const double next = c.combine(running, element);
      element = inclusive ? next : running;
      running = next;
    }
  }
  return x;
}

TEST(Scan, EveryDtypeLengthAndLayout) {
  for (const Dtype dtype : kRealDtypes) {
    if (dtype == bool_) continue;
    for (const int length : {1, 2, 9, 40}) {
      const array a = any_array({3, 2, length}, dtype, 1);
      for (const Case& c : kCases) {
        if (c.identity == 1) continue;
        for (const int mode : {0, 1, 2, 3}) {
          const bool reverse = (mode & 1) != 0, inclusive = (mode & 2) != 0;
          if (!inclusive && std::isinf(c.identity) && !is_float(dtype)) continue;
          const std::vector<double> want = reference(c, a, reverse, inclusive);
          if (dtype.size() == 1 && length > 9) continue;  // beyond 8 bits
          for (const array& x : all_layouts_of(a)) {
            // The reference rounds as often as a scan in float64 does.
            const double rounding = (dtype == float64 ? length : 4) * epsilon(dtype);
            expect_close(c.op(x, -1, reverse, inclusive, {}), want, rounding, c.name);
          }
        }
      }
    }
  }
}

TEST(Scan, Products) {
  const array a = array({2, -3, 1, 4}, {4});
  expect_close(cumprod(a, 0), {2, -6, -6, -24}, 0);
  expect_close(cumprod(a, 0, true), {-24, -12, 4, 4}, 0);
  expect_close(cumprod(a, 0, false, false), {1, 2, -6, -6}, 0);
  const array f = random_array({5, 30}, float64, 2);
  expect_close(cumprod(f, 1), reference(kCases[1], f, false, true), 1e-14);
}

TEST(Scan, OtherAxesAndTheFlattened) {
  const array a = random_array({30, 7, 5}, float32, 3);
  for (const Case& c : kCases) {
    for (const int axis : {0, 1, 2}) {
      const array moved = contiguous(swapaxes(a, axis, 2));
      expect_matches(c.op(a, axis, false, true, {}), swapaxes(c.op(moved, 2, false, true, {}), axis, 2), 0, c.name);
    }
  }
  expect_matches(cumsum(a), cumsum(flatten(a), 0), 0);
}

TEST(Scan, IntegersStartFromTheirOwnLimits) {
  expect_close(cummax(array({3, 5}, int8), 0, false, false), {-128, 3}, 0);
  expect_close(cummin(array({3, 5}, uint16), 0, false, false), {65535, 3}, 0);
  expect_close(cummax(array({3, 5}, int64), 0, true, false), {5, -0x1p63}, 0);
  expect_close(cummin(array({3.0f}), 0, false, false), {INFINITY}, 0);
}

TEST(Scan, BoolSumsAreInt32) {
  const array a = array({true, false, true, true});
  EXPECT_EQ(cumsum(a, 0).dtype(), int32);
  expect_close(cumsum(a, 0), {1, 1, 2, 3}, 0);
  EXPECT_EQ(cumsum(ones({3}, int8), 0).dtype(), int8);
}

TEST(Scan, LongRowsInChunks) {
  const array a = random_array({2, 200003}, float32, 4);
  for (const bool reverse : {false, true}) {
    expect_close(cumsum(a, 1, reverse), reference(kCases[0], a, reverse, true), 1e-5);
    expect_close(cummax(a, 1, reverse), reference(kCases[2], a, reverse, true), 0);
    expect_close(cumsum(flip(a, 1), 1, reverse, false), reference(kCases[0], contiguous(flip(a, 1)), reverse, false),
                 1e-5);
  }
  const array counts = ones({150000}, int32);
  EXPECT_TRUE(array_equal(cumsum(counts, 0), arange(1, 150001)).item<bool>());
  expect_close(slice(cumsum(ones({3000}, float16), 0), {2998}, {3000}), {3000, 3000}, 0);  // 2999 rounds to even
}

TEST(Scan, NaNStaysOnceSeen) {
  const array a = array({1.0f, kNaN, 2.0f});
  expect_close(cummax(a, 0), {1, NAN, NAN}, 0);
  expect_close(cummin(a, 0, true), {NAN, NAN, 2}, 0);
}

TEST(Scan, Nothing) {
  EXPECT_EQ(cumsum(zeros({0}), 0).shape(), (Shape{0}));
  EXPECT_EQ(cummax(zeros({3, 0}), 1).shape(), (Shape{3, 0}));
}

TEST(Scan, Errors) {
  EXPECT_EQ(refusal([] { cumsum(ones({2}), 1); }), "[cumsum] axis 1 is out of range for 1 dimensions");
  EXPECT_EQ(refusal([] { cummax(ones({2}), -2); }), "[cummax] axis -2 is out of range for 1 dimensions");
}

TEST(Scan, Gradients) {
  const array a = random_array({4, 9}, float64, 13);
  for (const Case& c : kCases) {
    for (const int mode : {0, 1, 2, 3}) {
      const bool reverse = (mode & 1) != 0, inclusive = (mode & 2) != 0;
      if (!inclusive && std::isinf(c.identity)) continue;  // the first output is infinite
      expect_gradients([&](const std::vector<array>& x) { return c.op(x[0], 1, reverse, inclusive, {}); }, {a});
    }
  }
  const auto exclusive = [](const array& x) { return sum(slice(cummax(x, 0, false, false), {1}, {4})); };
  expect_close(grad(exclusive)(array({1.0f, 3.0f, 2.0f, 9.0f})), {1, 2, 0, 0}, 0);
  const auto reversed = [](const array& x) { return sum(cummin(x, 0, true)); };
  expect_close(grad(reversed)(array({1.0f, 3.0f, 2.0f, 9.0f})), {1, 0, 2, 1}, 0);
}

TEST(Scan, GradientOfProductsWithZeros) {
  const auto gradient = grad([](const array& x) { return sum(cumprod(x, 0)); });
  // y = a, a 0, a 0 c, a 0 c 0
  expect_close(gradient(array({2.0f, 0.0f, 3.0f, 0.0f})), {1, 8, 0, 0}, 0);
}

// The same rows at every offset give the same bits: what is read at once does not show.
TEST(Scan, EveryElementOffset) {
  for (const Dtype dtype : {float16, bfloat16, float32, float64}) {
    const array base = random_array({2 * 72 + 8}, dtype, 31);
    for (int offset = 0; offset < 8; ++offset) {
      const array rows = reshape(slice(base, {offset}, {offset + 2 * 72}), {2, 72});
      const array copy = astype(array(doubles(rows).begin(), {2, 72}, float64), dtype);
      expect_matches(cumsum(rows, 1), cumsum(copy, 1), 0, "cumsum");
      expect_matches(cummax(rows, 0, true), cummax(copy, 0, true), 0, "cummax");
    }
  }
}

// Neighbouring columns, long enough to be cut into chunks.
TEST(Scan, LongColumnsInChunks) {
  const array a = random_array({5000, 40}, float32, 33);
  const array rows = contiguous(transpose(a));
  for (const Case& c : kCases) {
    if (c.identity == 1) continue;
    expect_matches(c.op(a, 0, false, true, {}), transpose(c.op(rows, 1, false, true, {})), 1e-7, c.name);
    expect_close(c.op(rows, 1, true, true, {}), reference(c, rows, true, true), 1e-6, c.name);
  }
}

}  // namespace
}  // namespace plimsoll
