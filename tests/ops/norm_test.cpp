// rms_norm and layer_norm against float64.
#include "reference.h"

#include "plimsoll/fast.h"

namespace plimsoll {
namespace {

using testing::doubles;
using testing::epsilon;
using testing::expect_close;
using testing::expect_gradients;
using testing::expect_matches;
using testing::layouts_of;
using testing::random_array;

constexpr Dtype kFloats[] = {float32, float16, bfloat16, float64};
using Parameter = std::optional<array>;

std::vector<double> reference(const array& a, const Parameter& weight, const Parameter& bias, double eps, bool center) {
  std::vector<double> x = doubles(a);
  const size_t length = static_cast<size_t>(a.shape(-1));
  const std::vector<double> w = weight ? doubles(*weight) : std::vector<double>(length, 1.0);
  const std::vector<double> b = bias ? doubles(*bias) : std::vector<double>(length, 0.0);
  for (size_t row = 0; row < x.size(); row += length) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < length && center; ++i) mean += x[row + i] / static_cast<double>(length);
    for (size_t i = 0; i < length; ++i) squares += (x[row + i] - mean) * (x[row + i] - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(length) + eps);
    for (size_t i = 0; i < length; ++i) x[row + i] = (x[row + i] - mean) * scale * w[i] + b[i];
  }
  return x;
}

// Sums in float32 of rows up to 1,100 long, then one rounding.
double tolerance(Dtype dtype) { return epsilon(dtype) + (dtype == float64 ? 1e-14 : 2e-6); }

TEST(Norm, EveryDtypeLengthAndLayout) {
  for (const Dtype dtype : kFloats) {
    for (const int length : {1, 5, 16, 100, 576, 1100}) {
      const array a = random_array({3, 2, length}, dtype, 1);
      const array weight = random_array({length}, dtype, 2), bias = random_array({length}, dtype, 3);
      for (const array& x : layouts_of(a)) {
        for (const Parameter& w : {Parameter{}, Parameter{weight}}) {
          expect_close(fast::rms_norm(x, w, 1e-5f), reference(a, w, {}, 1e-5f, false), tolerance(dtype), "rms_norm");
          for (const Parameter& b : {Parameter{}, Parameter{bias}}) {
            expect_close(fast::layer_norm(x, w, b, 1e-3f), reference(a, w, b, 1e-3f, true), tolerance(dtype),
                         "layer_norm");
          }
        }
      }
    }
  }
}

TEST(Norm, StridedAndBroadcastParameters) {
  const array x = random_array({4, 30}, float32, 4);
  const array weight = slice(random_array({60}, float32, 5), Shape{0}, Shape{60}, Shape{2});
  const array bias = broadcast_to(array({0.25f}), {30});
  expect_close(fast::layer_norm(x, weight, bias, 1e-5f), reference(x, weight, bias, 1e-5f, true), 2e-6);
  expect_close(fast::rms_norm(broadcast_to(random_array({30}, float32, 6), {4, 30}), weight, 1e-5f),
               reference(broadcast_to(random_array({30}, float32, 6), {4, 30}), weight, {}, 1e-5f, false), 2e-6);
}

TEST(Norm, LargeMeanKeepsItsVariance) {
  const array x = add(random_array({2, 512}, float32, 7), array(4096.0f));
  expect_close(fast::layer_norm(x, {}, {}, 1e-5f), reference(x, {}, {}, 1e-5f, true), 1e-3);
}

TEST(Norm, DtypesPromoteAsInMlx) {
  EXPECT_EQ(fast::rms_norm(ones({2, 4}, bfloat16), ones({4}, float32), 1e-5f).dtype(), float32);
  EXPECT_EQ(fast::rms_norm(ones({2, 4}, bfloat16), {}, 1e-5f).dtype(), bfloat16);
}

TEST(Norm, EmptyArrays) {  // K08
  EXPECT_TRUE(doubles(fast::rms_norm(zeros({0, 4}, float32), ones({4}, float32), 1e-5f)).empty());
  EXPECT_TRUE(doubles(fast::layer_norm(zeros({4, 0}, float32), {}, {}, 1e-5f)).empty());
}

TEST(Norm, Gradients) {
  const array x = random_array({2, 3, 7}, float64, 8), w = random_array({7}, float64, 9),
              b = random_array({7}, float64, 10);
  expect_gradients([](const auto& in) { return fast::rms_norm(in[0], in[1], 1e-3f); }, {x, w});
  expect_gradients([](const auto& in) { return fast::rms_norm(in[0], {}, 1e-3f); }, {x});
  expect_gradients([](const auto& in) { return fast::layer_norm(in[0], in[1], in[2], 1e-3f); }, {x, w, b});
  expect_gradients([](const auto& in) { return fast::layer_norm(in[0], {}, in[1], 1e-3f); }, {x, b});
  expect_gradients([](const auto& in) { return fast::layer_norm(in[0], {}, {}, 1e-3f); }, {x});
}

TEST(Norm, Refusals) {
  EXPECT_THROW(fast::rms_norm(array(1.0f), {}, 1e-5f), std::invalid_argument);
  EXPECT_THROW(fast::rms_norm(ones({2, 4}, float32), ones({3}, float32), 1e-5f), std::invalid_argument);
  EXPECT_THROW(fast::rms_norm(ones({2, 4}, int32), {}, 1e-5f), std::invalid_argument);
  EXPECT_THROW(fast::layer_norm(ones({2, 4}, float32), {}, ones({1, 4}, float32), 1e-5f), std::invalid_argument);
}

// The same rows at every offset give the same bits: what is read at once does not show.
TEST(Norm, EveryElementOffset) {
  for (const Dtype dtype : {float16, bfloat16, float32, float64}) {
    const array base = random_array({2 * 72 + 8}, dtype, 31);
    for (int offset = 0; offset < 8; ++offset) {
      const array rows = reshape(slice(base, {offset}, {offset + 2 * 72}), {2, 72});
      const array copy = astype(array(doubles(rows).begin(), {2, 72}, float64), dtype);
      const array weight = slice(base, {7 - offset}, {79 - offset});
      expect_matches(fast::rms_norm(rows, weight, 1e-5f), fast::rms_norm(copy, weight, 1e-5f), 0, "rms_norm");
      expect_matches(fast::layer_norm(rows, weight, weight, 1e-5f), fast::layer_norm(copy, weight, weight, 1e-5f), 0,
                     "layer_norm");
    }
  }
}

}  // namespace
}  // namespace plimsoll
