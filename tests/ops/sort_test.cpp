// Sorting, partitioning and the largest k against the standard library's stable sort.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

bool before(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

// Stable order of each row along the last axis.
std::vector<double> argsort_reference(const array& a) {
  const std::vector<double> x = doubles(a);
  const size_t length = static_cast<size_t>(a.shape(-1));
  std::vector<double> out;
  for (size_t row = 0; row < x.size(); row += length) {
    std::vector<size_t> order(length);
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return before(x[row + i], x[row + j]); });
    out.insert(out.end(), order.begin(), order.end());
  }
  return out;
}

TEST(Sort, EveryDtypeLengthAndLayout) {
  for (const Dtype dtype : kRealDtypes) {
    for (const int length : {1, 2, 3, 17, 100, 511, 512, 3000}) {
      const array a = any_array({2, 3, length}, dtype, 1);
      const std::vector<double> order = argsort_reference(a);
      const array positions = array(order.begin(), a.shape(), int32);
      const array want = take_along_axis(a, positions, -1);
      for (const array& x : all_layouts_of(a)) {
        expect_matches(argsort(x, -1), positions, 0, "argsort");
        expect_matches(sort(x, -1), want, 0, "sort");
      }
    }
  }
}

TEST(Sort, OtherAxes) {
  const array a = any_array({40, 7, 5}, int32, 2);
  for (const int axis : {0, 1, 2}) {
    const array moved = contiguous(swapaxes(a, axis, 2));
    expect_matches(sort(a, axis), swapaxes(sort(moved, -1), axis, 2), 0);
    expect_matches(argsort(a, axis), swapaxes(argsort(moved, -1), axis, 2), 0);
  }
  expect_matches(sort(a), sort(flatten(a), 0), 0);
  EXPECT_EQ(argsort(a).shape(), (Shape{1400}));
  EXPECT_EQ(argsort(a).dtype(), uint32);
}

TEST(Sort, SpecialNumbers) {
  for (const Dtype dtype : kFloatDtypes) {
    const array a = astype(array({kNaN, 1.0f, -kInf, 0.0f, -0.0f, kInf, -kNaN, -1.0f}), dtype);
    expect_close(sort(a), {-INFINITY, -1, 0, 0, 1, INFINITY, NAN, NAN}, 0);
    expect_close(argsort(a), {2, 7, 3, 4, 1, 5, 0, 6}, 0);  // zeros and NaN keep their order
    expect_close(argsort(repeat(a, 100)), argsort_reference(repeat(a, 100)), 0);
  }
  expect_close(sort(array({INT64_MAX, INT64_MIN, int64_t(0)})), {-0x1p63, 0, 0x1p63}, 0);
  const array complex({complex64_t(2, 1), complex64_t(1, 5), complex64_t(2, -1)});
  expect_close(argsort(complex), {1, 2, 0}, 0);
}

TEST(Sort, LongRows) {
  const array a = random_array({300001}, float32, 3);
  EXPECT_TRUE(array_equal(take(a, argsort(a)), sort(a)).item<bool>());
  const array sorted = sort(a);
  const array low = slice(sorted, {0}, {300000}), high = slice(sorted, {1}, {300001});
  EXPECT_TRUE(all(less_equal(low, high)).item<bool>());
  EXPECT_TRUE(array_equal(sort(argsort(a)), arange(0.0, 300001.0, 1.0, uint32)).item<bool>());
}

TEST(Sort, NothingAndOne) {
  EXPECT_EQ(sort(zeros({0})).size(), 0u);
  EXPECT_EQ(sort(zeros({3, 0}), 1).shape(), (Shape{3, 0}));
  EXPECT_EQ(argsort(zeros({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(sort(array(4.0f)).item<float>(), 4.0f);
  EXPECT_EQ(topk(ones({5}), 0).size(), 0u);
}

TEST(Partition, SplitsAtKth) {
  for (const Dtype dtype : kRealDtypes) {
    const array a = any_array({4, 101}, dtype, 8);
    for (const int kth : {0, 1, 50, 100, -1, -30}) {
      const int position = kth < 0 ? kth + 101 : kth;
      const array parted = partition(a, kth, -1);
      expect_matches(take(parted, position, 1), take(sort(a, -1), position, 1), 0, "kth");
      expect_matches(sort(parted, -1), sort(a, -1), 0, "same elements");
      const array pivot = expand_dims(take(parted, position, 1), 1);
      EXPECT_TRUE(all(less_equal(slice(parted, {0, 0}, {4, position}), pivot)).item<bool>());
      EXPECT_TRUE(all(greater_equal(slice(parted, {0, position}, {4, 101}), pivot)).item<bool>());
      expect_matches(take_along_axis(a, argpartition(a, kth, -1), -1), parted, 0, "argpartition");
    }
  }
}

TEST(Partition, LargestK) {
  const array a = random_array({3, 1000}, float32, 4);
  for (const int k : {1, 10, 999, 1000}) {
    const array largest = slice(sort(a, 1), {0, 1000 - k}, {3, 1000});
    expect_matches(sort(topk(a, k, 1), 1), largest, 0);
  }
  expect_matches(sort(topk(flip(transpose(a), 0), 5, 0), 0), transpose(slice(sort(a, 1), {0, 995}, {3, 1000})), 0);
  EXPECT_EQ(topk(a, 7).shape(), (Shape{7}));
}

TEST(Sort, Errors) {
  const array a = ones({2, 3});
  EXPECT_EQ(refusal([&] { sort(a, 2); }), "[sort] axis 2 is out of range for 2 dimensions");
  EXPECT_EQ(refusal([&] { argsort(a, -3); }), "[argsort] axis -3 is out of range for 2 dimensions");
  EXPECT_EQ(refusal([&] { partition(a, 3, 1); }), "[partition] kth 3 is out of range for 3 elements");
  EXPECT_EQ(refusal([&] { argpartition(a, -4, 1); }), "[argpartition] kth -4 is out of range for 3 elements");
  EXPECT_EQ(refusal([&] { topk(a, 4, 1); }), "[topk] k 4 is out of range for 3 elements");
}

TEST(Sort, Gradients) {
  const array a = random_array({4, 9}, float64, 13);
  for (const int axis : {0, 1}) {
    expect_gradients([axis](const std::vector<array>& x) { return sort(x[0], axis); }, {a});
    expect_gradients([axis](const std::vector<array>& x) { return partition(x[0], 2, axis); }, {a});
    expect_gradients([axis](const std::vector<array>& x) { return topk(x[0], 2, axis); }, {a});
  }
}

// The same rows at every offset give the same bits: what is read at once does not show.
TEST(Sort, EveryElementOffset) {
  for (const Dtype dtype : {float16, bfloat16, float32, float64}) {
    const array base = random_array({2 * 72 + 8}, dtype, 31);
    for (int offset = 0; offset < 8; ++offset) {
      const array rows = reshape(slice(base, {offset}, {offset + 2 * 72}), {2, 72});
      const array copy = astype(array(doubles(rows).begin(), {2, 72}, float64), dtype);
      expect_matches(sort(rows, 1), sort(copy, 1), 0, "sort");
      expect_matches(argsort(rows, 0), argsort(copy, 0), 0, "argsort");
    }
  }
}

// Keys of 64 bits, in more than one merge, with the last run alone.
TEST(Sort, LongRowsOfWideTypes) {
  for (const Dtype dtype : {int64, float64, complex64}) {
    const array a = astype(any_array({2, 5121}, int32, 34), dtype);
    expect_close(argsort(a, 1), argsort_reference(astype(a, float64)), 0);
  }
}

}  // namespace
}  // namespace plimsoll
