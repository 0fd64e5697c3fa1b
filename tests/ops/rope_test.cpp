// Rotary position embedding against float64.
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

struct Setting {
  int dims;
  bool traditional;
  double base = 10000;
  double scale = 1;
  std::vector<int> offsets = {0};  // one, or one for each entry of the batch
  std::vector<double> freqs = {};
};

// x [B, H, L, D].
std::vector<double> reference(const array& a, const Setting& s) {
  std::vector<double> x = doubles(a), out = x;
  const int heads = a.shape(1), length = a.shape(2), width = a.shape(3), half = s.dims / 2;
  for (size_t row = 0; row < x.size() / static_cast<size_t>(width); ++row) {
    const int position = static_cast<int>(row) % length, entry = static_cast<int>(row) / (length * heads);
    const int offset = s.offsets[s.offsets.size() > 1 ? static_cast<size_t>(entry) : 0];
    for (int i = 0; i < half; ++i) {
      const double speed = s.freqs.empty() ? std::pow(s.base, -2.0 * i / s.dims) : 1 / s.freqs[static_cast<size_t>(i)];
      const double angle = (position + offset) * s.scale * speed;
      const size_t first = row * static_cast<size_t>(width) + static_cast<size_t>(s.traditional ? 2 * i : i);
      const size_t second = first + static_cast<size_t>(s.traditional ? 1 : half);
      out[first] = x[first] * std::cos(angle) - x[second] * std::sin(angle);
      out[second] = x[second] * std::cos(angle) + x[first] * std::sin(angle);
    }
  }
  return out;
}

array run(const array& x, const Setting& s) {
  if (s.offsets.size() == 1) {
    return fast::rope(x, s.dims, s.traditional, static_cast<float>(s.base), static_cast<float>(s.scale), s.offsets[0]);
  }
  const array offset(s.offsets.begin(), {static_cast<int>(s.offsets.size())}, int32);
  return fast::rope(x, s.dims, s.traditional, static_cast<float>(s.base), static_cast<float>(s.scale), offset);
}

// Products of values up to 4. In float64 the angles, up to 1e5, are themselves rounded.
double tolerance(Dtype dtype) { return dtype == float64 ? 1e-10 : epsilon(dtype) + 1e-6; }

TEST(Rope, EveryDtypeLayoutAndStyle) {
  for (const Dtype dtype : kFloats) {
    const array a = random_array({2, 3, 5, 44}, dtype, 1);
    for (const bool traditional : {false, true}) {
      for (const int dims : {2, 20, 44}) {
        for (const Setting& s : {Setting{dims, traditional}, Setting{dims, traditional, 500000, 0.5, {100003}},
                                 Setting{dims, traditional, 10000, 1, {7, 1000}}}) {
          const auto want = reference(a, s);
          for (const array& x : layouts_of(a)) expect_close(run(x, s), want, tolerance(dtype), "rope");
        }
      }
    }
  }
}

TEST(Rope, LongSequencesOnSeveralThreads) {
  const array x = random_array({2, 4, 700, 64}, float32, 2);
  expect_close(run(x, {64, true}), reference(x, {64, true}), 1e-6);
  expect_close(run(x, {64, false}), reference(x, {64, false}), 1e-6);
}

TEST(Rope, FrequenciesInsteadOfABase) {
  const array x = random_array({1, 2, 6, 8}, float32, 3);
  const Setting s{8, false, 0, 2, {5}, {1, 2.5, 7, 100}};
  const array freqs(s.freqs.begin(), {4}, float32);
  expect_close(fast::rope(x, 8, false, std::nullopt, 2.0f, 5, freqs), reference(x, s), 1e-6);
  const array twice = repeat(freqs, 2, 0);
  const array strided = slice(twice, Shape{0}, Shape{8}, Shape{2});
  expect_close(fast::rope(x, 8, false, std::nullopt, 2.0f, 5, strided), reference(x, s), 1e-6);
}

TEST(Rope, ThreeDimensionsAreBatchLengthAndWidth) {
  const array x = random_array({2, 5, 8}, float32, 4);
  expect_close(run(x, {8, true}), reference(reshape(x, {2, 1, 5, 8}), {8, true}), 1e-6);
}

TEST(Rope, OneStepEqualsTheRowOfTheWhole) {
  const array x = random_array({1, 2, 9, 16}, bfloat16, 5);
  const array whole = slice(run(x, {16, true}), Shape{0, 0, 8, 0}, Shape{1, 2, 9, 16});
  const array step = run(slice(x, Shape{0, 0, 8, 0}, Shape{1, 2, 9, 16}), {16, true, 10000, 1, {8}});
  EXPECT_TRUE(array_equal(whole, step, false).item<bool>());
}

TEST(Rope, EmptyArrays) {  // K08
  EXPECT_TRUE(doubles(run(zeros({1, 2, 0, 8}, float32), {8, true})).empty());
}

TEST(Rope, GradientRotatesBack) {
  const array x = random_array({2, 2, 3, 10}, float64, 6);
  expect_gradients([](const auto& in) { return run(in[0], {6, true, 10000, 1, {3}}); }, {x});
  expect_gradients([](const auto& in) { return run(in[0], {10, false, 10000, 1, {3, 9}}); }, {x});
}

TEST(Rope, Refusals) {
  const array x = zeros({1, 2, 3, 8}, float32);
  EXPECT_THROW(fast::rope(zeros({3, 8}, float32), 8, true, 1e4f, 1.0f, 0), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 7, true, 1e4f, 1.0f, 0), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 10, true, 1e4f, 1.0f, 0), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 8, true, std::nullopt, 1.0f, 0), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 8, true, 1e4f, 1.0f, 0, ones({4}, float32)), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 8, true, std::nullopt, 1.0f, 0, ones({3}, float32)), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 8, true, 1e4f, 1.0f, array(0.5f)), std::invalid_argument);
  EXPECT_THROW(fast::rope(x, 8, true, 1e4f, 1.0f, array({1, 2})), std::invalid_argument);
}

// The same rows at every offset give the same bits: what is read at once does not show.
TEST(Rope, EveryElementOffset) {
  for (const Dtype dtype : {float16, bfloat16, float32, float64}) {
    const array base = random_array({2 * 72 + 8}, dtype, 31);
    for (int offset = 0; offset < 8; ++offset) {
      const array rows = reshape(slice(base, {offset}, {offset + 2 * 72}), {2, 72});
      const array copy = astype(array(doubles(rows).begin(), {2, 72}, float64), dtype);
      const array x = reshape(rows, {1, 1, 2, 72}), y = reshape(copy, {1, 1, 2, 72});
      for (const bool traditional : {false, true}) {
        expect_matches(fast::rope(x, 64, traditional, 1e4f, 1.0f, 5), fast::rope(y, 64, traditional, 1e4f, 1.0f, 5), 0);
      }
    }
  }
}

}  // namespace
}  // namespace plimsoll
