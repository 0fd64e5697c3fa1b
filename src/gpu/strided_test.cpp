#include "gpu/strided.h"

#include <random>

#include <gtest/gtest.h>

namespace plimsoll::gpu {
namespace {

uint64_t divide(uint64_t n, FastDivisor by) { return (((n * by.multiplier) >> 32) + n) >> by.shift; }

TEST(Strided, FastDivisorsAreExact) {
  std::mt19937_64 random(1);
  constexpr uint64_t kEnd = uint64_t{1} << 31;
  for (int trial = 0; trial < 20000; ++trial) {
    const uint64_t size = trial < 3000 ? static_cast<uint64_t>(trial) + 1 : (random() % kEnd >> random() % 31) + 1;
    if (size >= kEnd) continue;
    const FastDivisor by = fast_divisor(size);
    const uint64_t multiple = random() % (kEnd / size) * size;
    for (const uint64_t n : {uint64_t{0}, size - 1, size, multiple, multiple + size - 1, kEnd - 1, random() % kEnd}) {
      if (n >= kEnd) continue;
      ASSERT_EQ(divide(n, by), n / size) << n << " by " << size;
    }
  }
}

TEST(Strided, AxesThatStepEvenlyAreOne) {
  const Shape shape{2, 3, 4};
  const StridedBlocks blocks(shape, std::array{row_major_strides(shape), Strides{24, 8, 2}});
  StridedParameters<2> parameters;
  blocks.fill(parameters);
  EXPECT_EQ(blocks.count(), 1);
  EXPECT_FALSE(blocks.wide());
  EXPECT_EQ(parameters.axes, 1u);
  EXPECT_EQ(parameters.count, 24u);
  EXPECT_EQ(parameters.strides[0][0], 1);
  EXPECT_EQ(parameters.strides[1][0], 2);
}

TEST(Strided, OffsetsBeyondThirtyOneBitsAreWide) {
  const auto wide = [](const Shape& shape, const Strides& strides) {
    return StridedBlocks(shape, std::array{strides}).wide();
  };
  EXPECT_FALSE(wide({3, 5}, {0, -7}));
  EXPECT_FALSE(wide({1 << 15, 1 << 15}, {1 << 16, 1}));
  EXPECT_TRUE(wide({1 << 16, 1 << 15}, {0, 1}));     // 2^31 elements
  EXPECT_TRUE(wide({2, 5}, {int64_t{1} << 31, 1}));  // far apart
  EXPECT_TRUE(wide({2, 5}, {-(int64_t{1} << 33), 1}));
}

TEST(Strided, TheHostWalksAxesBeyondSix) {
  Shape shape;
  Strides every_other;
  int64_t step = 2;
  for (int axis = 0; axis < 8; ++axis) shape.push_back(axis + 2), every_other.push_back(0);
  for (int axis = 7; axis >= 0; --axis) every_other[axis] = step, step *= 2 * shape[axis];
  const StridedBlocks blocks(shape, std::array{every_other});
  EXPECT_EQ(blocks.count(), 2 * 3);
  EXPECT_EQ(blocks.elements(), 4u * 5 * 6 * 7 * 8 * 9);
  EXPECT_EQ(blocks.offset(0, 0), 0);
  EXPECT_EQ(blocks.offset(2, 0), 2 * every_other[1]);
  EXPECT_EQ(blocks.offset(4, 0), every_other[0] + every_other[1]);
}

TEST(Strided, NothingHasNoBlocks) {
  EXPECT_EQ(StridedBlocks({3, 0}, std::array{Strides{0, 1}}).count(), 0);
  EXPECT_EQ(StridedBlocks({}, std::array{Strides{}}).count(), 1);
}

}  // namespace
}  // namespace plimsoll::gpu
