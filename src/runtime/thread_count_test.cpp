// The same bits on any number of threads.
#include <cstring>
#include <random>
#include <vector>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "base/parallel.h"
#include "gtest/gtest.h"

namespace plimsoll {
namespace {

array uniform_array(const Shape& shape, size_t count) {
  std::mt19937 random(1);
  std::vector<float> values(count);
  for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(random);
  return array(values.begin(), shape, float32);
}

class ThreadCount : public ::testing::Test {
 protected:
  ~ThreadCount() override { base::set_num_threads(0); }

  template <typename Op>
  void expect_same_bits(const char* what, Op op) {
    base::set_num_threads(1);
    array alone = op();
    alone.eval();
    for (const int threads : {2, 3, 7}) {
      base::set_num_threads(threads);
      array together = op();
      together.eval();
      EXPECT_EQ(std::memcmp(alone.data<float>(), together.data<float>(), alone.nbytes()), 0)
          << what << " on " << threads << " threads";
    }
  }
};

TEST_F(ThreadCount, DoesNotShowInReductions) {
  const array row = uniform_array({1000003}, 1000003);
  const array wide = uniform_array({5000, 130}, 650000);
  const array narrow = uniform_array({300000, 3}, 900000);
  const array cube = uniform_array({90, 70, 60}, 378000);
  expect_same_bits("sum of all", [&] { return sum(row); });
  expect_same_bits("sum of columns", [&] { return sum(wide, 0); });
  expect_same_bits("sum of few columns", [&] { return sum(narrow, 0); });
  expect_same_bits("sum of rows", [&] { return sum(wide, 1); });
  expect_same_bits("sum of outer axes", [&] { return sum(cube, std::vector<int>{0, 2}); });
  expect_same_bits("variance", [&] { return var(transpose(cube)); });
}

TEST_F(ThreadCount, DoesNotShowInScans) {
  const array row = uniform_array({500001}, 500001);
  const array wide = uniform_array({3000, 70}, 210000);
  expect_same_bits("cumsum", [&] { return cumsum(row, 0); });
  expect_same_bits("cumsum of columns", [&] { return cumsum(wide, 0, true, false); });
}

}  // namespace
}  // namespace plimsoll
