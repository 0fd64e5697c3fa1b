// softmax and logsumexp against float64.
#include <algorithm>
#include <limits>

#include "reference.h"

namespace plimsoll {
namespace {

using testing::doubles;
using testing::epsilon;
using testing::expect_close;
using testing::expect_gradients;
using testing::expect_matches;
using testing::layouts_of;
using testing::random_array;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr Dtype kFloats[] = {float32, float16, bfloat16, float64};

// Rows along the last axis.
std::vector<double> softmax_reference(const array& a) {
  std::vector<double> x = doubles(a);
  const size_t length = static_cast<size_t>(a.shape(-1));
  for (size_t row = 0; row < x.size(); row += length) {
    const double top = *std::max_element(x.begin() + row, x.begin() + row + length);
    double total = 0;
    for (size_t i = row; i < row + length; ++i) total += x[i] = std::exp(x[i] - top);
    for (size_t i = row; i < row + length; ++i) x[i] /= total;
  }
  return x;
}

std::vector<double> logsumexp_reference(const array& a) {
  const std::vector<double> x = doubles(a);
  const size_t length = static_cast<size_t>(a.shape(-1));
  std::vector<double> out;
  for (size_t row = 0; row < x.size(); row += length) {
    const double top = *std::max_element(x.begin() + row, x.begin() + row + length);
    double total = 0;
    for (size_t i = row; i < row + length; ++i) total += std::exp(x[i] - top);
    out.push_back(top + std::log(total));
  }
  return out;
}

TEST(Softmax, EveryDtypeLengthAndLayout) {
  for (const Dtype dtype : kFloats) {
    for (const int length : {1, 2, 7, 16, 33, 1000, 5000}) {
      const array a = multiply(random_array({3, 2, length}, dtype, 1), array(4.0f, dtype));
      // Sums of up to 5,000 terms in float32, each term within an ulp or two.
      const double tolerance = 2 * epsilon(dtype) + (dtype == float64 ? 1e-14 : 2e-6);
      for (const array& x : layouts_of(a)) {
        expect_close(softmax(x, -1), softmax_reference(a), tolerance, "softmax");
        expect_close(logsumexp(x, -1), logsumexp_reference(a), tolerance, "logsumexp");
      }
    }
  }
}

TEST(Softmax, OtherAxesAndSeveral) {
  const array a = random_array({3, 4, 5}, float32, 2);
  const array moved = transpose(a, {1, 2, 0});
  expect_matches(softmax(a, 0), transpose(array(softmax_reference(moved).begin(), {4, 5, 3}, float64), {2, 0, 1}),
                 1e-6);
  const array joined = reshape(transpose(a, {1, 0, 2}), {4, 15});
  const array want =
      transpose(reshape(array(softmax_reference(joined).begin(), {4, 15}, float64), {4, 3, 5}), {1, 0, 2});
  expect_matches(softmax(a, std::vector<int>{0, 2}), want, 1e-6);
  expect_matches(softmax(a, std::vector<int>{-1, 0}), want, 1e-6);
  EXPECT_NEAR(sum(softmax(a)).item<float>(), 1.0f, 1e-5);
  EXPECT_EQ(logsumexp(a, std::vector<int>{0, 2}).shape(), (Shape{4}));
  EXPECT_EQ(logsumexp(a, std::vector<int>{0, 2}, true).shape(), (Shape{1, 4, 1}));
  expect_close(logsumexp(a, std::vector<int>{0, 2}), logsumexp_reference(joined), 1e-6);
  EXPECT_EQ(softmax(array(3.0f)).item<float>(), 1.0f);
  EXPECT_EQ(logsumexp(array(3.0f)).item<float>(), 3.0f);
}

TEST(Softmax, IntegersBecomeFloat32) {
  EXPECT_EQ(softmax(array({1, 2, 3}), -1).dtype(), float32);
  expect_close(softmax(array({1, 2, 3}), -1), {0.09003057, 0.24472847, 0.66524096}, 1e-6);
}

TEST(Softmax, DonatedInputIsOverwrittenInPlace) {
  const array a = random_array({5, 300}, float32, 3);
  expect_close(softmax(add(a, array(1.0f)), -1), softmax_reference(a), 1e-6);
}

TEST(Softmax, EmptyArrays) {  // K08
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 3}}) {
    EXPECT_EQ(softmax(zeros(shape, float32), -1).shape(), shape);
    EXPECT_TRUE(doubles(softmax(zeros(shape, float32), -1)).empty());
  }
  EXPECT_EQ(logsumexp(zeros({0}, float32), -1).item<float>(), -kInf);
  EXPECT_TRUE(doubles(logsumexp(zeros({0, 3}, float32), -1)).empty());
}

TEST(Softmax, InfinitiesAndNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_close(softmax(array({0.0f, -kInf, 0.0f}), -1), {0.5, 0, 0.5}, 0);
  expect_close(softmax(array({-kInf, -kInf}), -1), {nan, nan}, 0);
  expect_close(softmax(array({1.0f, kInf}), -1), {nan, nan}, 0);
  expect_close(softmax(array({1.0f, std::nanf(""), 2.0f}), -1), {nan, nan, nan}, 0);
  EXPECT_EQ(logsumexp(array({-kInf, -kInf})).item<float>(), -kInf);
  EXPECT_EQ(logsumexp(array({kInf, 1.0f})).item<float>(), kInf);
  EXPECT_TRUE(std::isnan(logsumexp(array({std::nanf(""), 1.0f})).item<float>()));
  // A block of -infinity before the first finite element.
  const array late = concatenate({full({3000}, -kInf, float32), zeros({2}, float32)}, 0);
  EXPECT_EQ(doubles(softmax(late, -1)).back(), 0.5);
}

TEST(Softmax, GradientsOfLogsumexpStayFinite) {  // K12
  const auto gradient = grad([](const array& x) { return logsumexp(x); });
  expect_close(gradient(array({0.0f, -kInf})), {1, 0}, 0);
  const auto masked = grad([](const array& x) { return logsumexp(where(array({true, false}), x, array(-kInf))); });
  expect_close(masked(array({0.0f, 100.0f})), {1, 0}, 0);
  const array logits = random_array({70000}, float16, 4);
  for (const double value : doubles(grad([](const array& x) { return logsumexp(x); })(logits))) {
    ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(Softmax, Gradients) {
  const array a = random_array({3, 4, 5}, float64, 6);
  expect_gradients([](const auto& x) { return softmax(x[0], -1); }, {a});
  expect_gradients([](const auto& x) { return softmax(x[0], 0); }, {a});
  expect_gradients([](const auto& x) { return softmax(x[0], std::vector<int>{0, 2}); }, {a});
  expect_gradients([](const auto& x) { return logsumexp(x[0], 1); }, {a});
  expect_gradients([](const auto& x) { return logsumexp(x[0], std::vector<int>{0, 1}, true); }, {a});
}

TEST(Softmax, Refusals) {
  EXPECT_THROW(softmax(zeros({2}, float32), 1), std::invalid_argument);
  EXPECT_THROW(softmax(zeros({2}, complex64), 0), std::invalid_argument);
  EXPECT_THROW(logsumexp(zeros({2, 2}, float32), std::vector<int>{0, 0}), std::invalid_argument);
}

// The same rows at every offset give the same bits: what is read at once does not show.
TEST(Softmax, EveryElementOffset) {
  for (const Dtype dtype : {float16, bfloat16, float32, float64}) {
    const array base = random_array({2 * 72 + 8}, dtype, 31);
    for (int offset = 0; offset < 8; ++offset) {
      const array rows = reshape(slice(base, {offset}, {offset + 2 * 72}), {2, 72});
      const array copy = astype(array(doubles(rows).begin(), {2, 72}, float64), dtype);
      expect_matches(softmax(rows, -1), softmax(copy, -1), 0, "softmax");
      expect_matches(logsumexp(rows, -1), logsumexp(copy, -1), 0, "logsumexp");
    }
  }
}

TEST(Softmax, OneRowCutIntoChunks) {
  for (const Dtype dtype : {float32, bfloat16}) {
    const array a = random_array({1, 60001}, dtype, 32);
    const array row = subtract(a, array(3.0f, dtype));
    const std::vector<double> x = doubles(row);
    double total = 0;
    for (const double v : x) total += std::exp(v);
    std::vector<double> want;
    for (const double v : x) want.push_back(std::exp(v) / total);
    expect_close(softmax(row, -1), want, epsilon(dtype) * 1e-3 + 1e-9, "softmax");
    expect_close(logsumexp(row, -1), {std::log(total)}, 2 * epsilon(dtype) + 1e-6, "logsumexp");
  }
}

}  // namespace
}  // namespace plimsoll
