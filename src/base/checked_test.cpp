#include "base/checked.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace plimsoll::base {
namespace {

constexpr size_t kMax = std::numeric_limits<size_t>::max();

TEST(Checked, AddSubtractMultiplyNoticeOverflow) {
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_add(std::numeric_limits<int64_t>::min(), -1), std::nullopt);
  EXPECT_EQ(checked_sub(size_t{3}, 4), std::nullopt);
  EXPECT_EQ(checked_mul(size_t{1} << 32, (size_t{1} << 32) - 1), kMax - (size_t{1} << 32) + 1);
  EXPECT_EQ(checked_mul(size_t{1} << 32, size_t{1} << 32), std::nullopt);
}

TEST(Checked, AlignsUp) {
  EXPECT_EQ(checked_align_up(size_t{0}, 32), 0u);
  EXPECT_EQ(checked_align_up(size_t{33}, 32), 64u);
  EXPECT_EQ(checked_align_up(size_t{64}, 32), 64u);
  EXPECT_EQ(checked_align_up(kMax, 32), std::nullopt);
}

TEST(Checked, CastsOnlyWhatFits) {
  EXPECT_EQ(checked_cast<int32_t>(int64_t{-5}), -5);
  EXPECT_EQ(checked_cast<int32_t>(int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(checked_cast<uint64_t>(-1), std::nullopt);
}

TEST(Checked, ProductOfFactors) {
  const std::array<size_t, 3> plain = {2, 3, 4};
  const std::array<size_t, 3> huge = {kMax, kMax, 2};
  const std::array<size_t, 3> empty = {kMax, kMax, 0};
  EXPECT_EQ(checked_product(plain), 24u);
  EXPECT_EQ(checked_product(huge), std::nullopt);
  EXPECT_EQ(checked_product(empty), 0u);
  EXPECT_EQ(checked_product(std::array<size_t, 0>{}), 1u);
}

TEST(Checked, RangeFitsWithoutOverflow) {
  EXPECT_TRUE(range_fits(0, 10, 10));
  EXPECT_TRUE(range_fits(10, 0, 10));
  EXPECT_FALSE(range_fits(11, 0, 10));
  EXPECT_FALSE(range_fits(1, 10, 10));
  EXPECT_FALSE(range_fits(8, kMax, 10));
}

TEST(Checked, ValueOrThrowNamesWhatOverflowed) {
  EXPECT_EQ(value_or_throw(checked_add(1, 2), "[test] size"), 3);
  try {
    value_or_throw(checked_add(kMax, 2), "[test] size");
    FAIL() << "no exception";
  } catch (const std::overflow_error& error) {
    EXPECT_STREQ(error.what(), "[test] size does not fit in its type");
  }
}

}  // namespace
}  // namespace plimsoll::base
