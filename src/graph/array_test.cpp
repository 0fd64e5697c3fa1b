#include "plimsoll/array.h"

#include <sstream>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "graph/primitive.h"
#include "gtest/gtest.h"

namespace plimsoll {
namespace {

std::string printed(const array& a) {
  std::ostringstream os;
  os << a;
  return os.str();
}

TEST(Array, PrintsAsMlxDoes) {
  EXPECT_EQ(printed(array(1.5f)), "array(1.5, dtype=float32)");
  EXPECT_EQ(printed(array({1, 2, 3})), "array([1, 2, 3], dtype=int32)");
  EXPECT_EQ(printed(array({true, false})), "array([true, false], dtype=bool)");
  EXPECT_EQ(printed(array(std::initializer_list<float>{})), "array([], dtype=float32)");
  EXPECT_EQ(printed(array({1, 2, 3, 4}, {2, 2}, int8)), "array([[1, 2],\n       [3, 4]], dtype=int8)");
  EXPECT_EQ(printed(array(complex64_t(1, -2))), "array(1-2j, dtype=complex64)");
}

TEST(Array, PrintsTheEndsOfLongAxes) {
  EXPECT_EQ(printed(arange(100)), "array([0, 1, 2, ..., 97, 98, 99], dtype=int32)");
}

TEST(Array, ItemConvertsAndRefusesMany) {
  EXPECT_EQ(array(3.7f).item<int>(), 3);
  EXPECT_EQ(array(bfloat16_t(2.0f)).item<float>(), 2.0f);
  EXPECT_TRUE(array(complex64_t(0, 1)).item<bool>());
  EXPECT_THROW(array({1, 2}).item<int>(), std::invalid_argument);
}

TEST(Array, CountMustFitTheShape) {
  EXPECT_THROW(array({1, 2, 3}, {2, 2}), std::invalid_argument);
  EXPECT_THROW(array({1}, {-1}), std::invalid_argument);
}

TEST(Array, AxesAreChecked) {
  const array a = zeros({2, 3});
  EXPECT_EQ(a.shape(-1), 3);
  EXPECT_THROW(a.shape(2), std::out_of_range);
  EXPECT_THROW(a.shape(-3), std::out_of_range);
}

TEST(Array, IteratesOverTheFirstAxis) {
  const array a = reshape(arange(6), {3, 2});
  int sum = 0;
  for (const array& row : a) sum += take(row, 1).item<int>();
  EXPECT_EQ(sum, 1 + 3 + 5);
}

TEST(Array, ForeignMemoryIsFreedOnce) {
  int freed = 0;
  float values[4] = {1, 2, 3, 4};
  {
    const array a(values, {4}, float32, [&](void* memory) {
      EXPECT_EQ(memory, values);
      ++freed;
    });
    array doubled = a + a;
    doubled.eval();
    EXPECT_EQ(doubled.data<float>()[3], 8.0f);
    EXPECT_EQ(values[3], 4.0f);
  }
  // A deleter that had to wait for work runs at the next call.
  array(0.0f);
  EXPECT_EQ(freed, 1);
}

TEST(Array, NameOfPrimitiveIsMlxs) {
  EXPECT_STREQ(exp(array(1.0f)).primitive().name(), "Exp");
  EXPECT_STREQ((array(1) + array(2)).primitive().name(), "Add");
}

TEST(Views, ShareTheBuffer) {
  array a = reshape(arange(24), {2, 3, 4});
  array view = transpose(slice(a, {0, 2, 3}, {2, -4, -5}, {1, -1, -2}), {2, 0, 1});
  eval(a, view);
  EXPECT_EQ(view.data_shared_ptr(), a.data_shared_ptr());
  EXPECT_EQ(view.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(take(take(take(view, 1, 0), 1, 0), 2, 0).item<int>(), 13);
}

}  // namespace
}  // namespace plimsoll
