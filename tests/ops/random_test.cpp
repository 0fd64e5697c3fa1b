// Random numbers: MLX's for the same key (tests/golden/random), reproducible, and of the right distribution.
#include "plimsoll/random.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "plimsoll/io.h"
#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

class GoldenRandom : public ::testing::Test {
 protected:
  static array golden(const std::string& name) {
    static const SafetensorsLoad file = load_safetensors(PLIMSOLL_TESTS_DIR "/golden/random/golden.safetensors");
    return file.first.at(name);
  }

  static void expect_golden(const array& got, const std::string& name, double tolerance = 0) {
    EXPECT_EQ(got.dtype(), golden(name).dtype()) << name;
    expect_matches(got, golden(name), tolerance, name);
  }
};

std::string shape_name(uint64_t seed, const Shape& shape) {
  std::string name = std::to_string(seed) + '.';
  for (size_t i = 0; i < shape.size(); ++i) name += (i == 0 ? "" : "x") + std::to_string(shape[i]);
  return name;
}

TEST_F(GoldenRandom, KeysSplitsAndOddSizes) {
  for (const uint64_t seed : {uint64_t(0), uint64_t(42), (uint64_t(7) << 32) + 11}) {
    const array key = random::key(seed);
    expect_golden(key, "key." + std::to_string(seed));
    expect_golden(random::split(key, 5), "split." + std::to_string(seed));
    for (const Shape& shape : {Shape{1}, Shape{2}, Shape{5}, Shape{8}, Shape{3, 3}, Shape{257}}) {
      const std::string name = shape_name(seed, shape);
      expect_golden(random::uniform(0.0f, 1.0f, shape, float32, key), "uniform." + name);
      // Ours and MLX's erfinv each err by a few ulp.
      expect_golden(random::normal(shape, key), "normal." + name, 2e-6);
    }
  }
}

TEST_F(GoldenRandom, Distributions) {
  const array key = random::key(3);
  expect_golden(random::uniform(array({-1.0f, 5.0f}), array({1.0f, 9.0f}), {7, 2}, float32, key), "uniform.range");
  expect_golden(random::uniform(0.0f, 1.0f, {64}, float16, key), "uniform.float16");
  expect_golden(random::uniform(0.0f, 1.0f, {64}, bfloat16, key), "uniform.bfloat16");
  expect_golden(random::normal({33}, 2.0f, 0.5f, key), "normal.scaled", 2e-6);
  expect_golden(random::normal({33}, float16, key), "normal.float16", 0x1p-10);
  expect_golden(random::randint(-100, 100, {65}, int32, key), "randint.int32");
  expect_golden(random::randint(0, 2147483647, {33}, int32, key), "randint.large");
  expect_golden(random::bernoulli(array(0.3f), {65}, key), "bernoulli");
  expect_golden(random::gumbel({33}, float32, key), "gumbel", 1e-6);
  expect_golden(random::laplace({33}, float32, 0.0f, 1.0f, key), "laplace", 2e-6);
  expect_golden(random::truncated_normal(array(-1.0f), array(2.0f), {33}, float32, key), "truncated_normal", 2e-6);
  expect_golden(random::permutation(100, key), "permutation");
}

TEST_F(GoldenRandom, Categorical) {
  const array key = random::key(3);
  const array logits = log(array({0.1f, 0.2f, 0.7f, 0.5f, 0.25f, 0.25f}, {2, 3}));
  expect_golden(random::categorical(broadcast_to(expand_dims(logits, 1), {2, 20, 3}), -1, key), "categorical");
  expect_golden(random::categorical(logits, 0, Shape{10, 3}, key), "categorical.axis");
  expect_golden(random::categorical(logits, -1, 9, key), "categorical.samples");
}

TEST(Random, NarrowBitsAreTheBytesOfTheWords) {
  const array key = random::key(9);
  const array words = random::bits({3}, 4, key);
  expect_matches(random::bits({6}, 2, key), view(words, uint16), 0, "uint16");
  expect_matches(random::bits({12}, 1, key), view(words, uint8), 0, "uint8");
  // A last word that is cut.
  expect_matches(random::bits({11}, 1, key), slice(view(words, uint8), {0}, {11}), 0, "11 bytes");
  expect_matches(random::bits({5}, 2, key), slice(view(words, uint16), {0}, {5}), 0, "5 halves");
  EXPECT_EQ(random::bits({0}, 4, key).size(), 0u);
  for (const int count : {1, 2, 3, 63, 64, 65, 127, 129, 20001}) {
    const array again = random::bits({count}, 4, key);
    expect_matches(random::bits({count}, 4, key), again, 0, "repeat");
    EXPECT_NE(doubles(again).back(), 0.0) << count;
  }
}

TEST(Random, DefaultSequenceRestartsWithTheSeed) {
  random::seed(5);
  const array first = random::uniform({4});
  const array second = random::uniform({4});
  random::seed(5);
  expect_matches(random::uniform({4}), first, 0);
  expect_matches(random::uniform({4}), second, 0);
  EXPECT_NE(doubles(first), doubles(second));
  // As splitting the key by hand gives.
  const auto [next, used] = random::split(random::key(5));
  expect_matches(random::uniform({4}, float32, used), first, 0);
  expect_matches(random::uniform({4}, float32, random::split(next).second), second, 0);
}

TEST(Random, UniformStaysBelowOne) {
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    const array u = random::uniform({200000}, dtype, random::key(1));
    EXPECT_LT(max(u).item<float>(), 1.0f) << dtype;
    EXPECT_GE(min(u).item<float>(), 0.0f);
    EXPECT_NEAR(mean(u).item<float>(), 0.5, 0.005);
  }
}

TEST(Random, MomentsAndFrequencies) {
  const array key = random::key(12);
  const array n = random::normal({200000}, key);
  EXPECT_NEAR(mean(n).item<float>(), 0.0, 0.01);
  EXPECT_NEAR(var(n).item<float>(), 1.0, 0.02);
  EXPECT_TRUE(all(isfinite(n)).item<bool>());
  EXPECT_NEAR(mean(random::bernoulli(array(0.3f), {200000}, key)).item<float>(), 0.3, 0.005);
  EXPECT_TRUE(all(random::bernoulli(array(1.0f), {10000}, key)).item<bool>());
  EXPECT_FALSE(any(random::bernoulli(array(0.0f), {10000}, key)).item<bool>());
  const array draws = random::categorical(log(array({0.2f, 0.0f, 0.8f})), -1, 50000, key);
  EXPECT_NEAR(mean(equal(draws, array(2u))).item<float>(), 0.8, 0.01);
  EXPECT_FALSE(any(equal(draws, array(1u))).item<bool>());
  const array dice = random::randint(1, 7, {60000}, int32, key);
  EXPECT_EQ(min(dice).item<int>(), 1);
  EXPECT_EQ(max(dice).item<int>(), 6);
  expect_matches(sort(random::permutation(1000, key)), arange(1000), 0);
}

TEST(Random, Errors) {
  EXPECT_EQ(refusal([] { random::bits({2}, 3); }), "[bits] width must be 1, 2 or 4 bytes; got 3");
  EXPECT_EQ(refusal([] { random::bits({2}, 4, array({1, 2})); }),
            "[bits] a key is uint32 of shape (2); got int32 of shape (2)");
  EXPECT_EQ(refusal([] { random::uniform({2}, int32); }), "[uniform] needs float32, float16 or bfloat16; got int32");
  EXPECT_EQ(refusal([] { random::randint(0, 3, {2}, float32); }), "[randint] needs an integer dtype; got float32");
  EXPECT_EQ(refusal([] { random::categorical(ones({2, 3}), 2); }),
            "[categorical] axis 2 is out of range for 2 dimensions");
  EXPECT_EQ(refusal([] { random::uniform(zeros({2, 3}), array(1.0f), {3}); }),
            "[uniform] bounds of shape (2,3) do not broadcast to (3)");
}

}  // namespace
}  // namespace plimsoll
