#include "graph/layout.h"

#include <array>

#include "plimsoll/small_vector.h"
#include "graph/ops/views.h"
#include "gtest/gtest.h"

namespace plimsoll {
namespace {

TEST(Layout, RowMajorIsContiguousBothWaysInOneDimension) {
  const Layout line = row_major_layout({5});
  EXPECT_TRUE(line.flags.row_contiguous && line.flags.col_contiguous && line.flags.contiguous);
  const Layout matrix = row_major_layout({3, 4});
  EXPECT_EQ(matrix.strides, (Strides{4, 1}));
  EXPECT_TRUE(matrix.flags.row_contiguous);
  EXPECT_FALSE(matrix.flags.col_contiguous);
}

TEST(Layout, FlagsOfStrides) {
  const array::Flags column = layout_flags({3, 4}, {1, 3}, 12);
  EXPECT_TRUE(column.contiguous && column.col_contiguous);
  EXPECT_FALSE(column.row_contiguous);
  const array::Flags gaps = layout_flags({3, 4}, {8, 1}, 20);
  EXPECT_FALSE(gaps.contiguous || gaps.row_contiguous);
  const array::Flags broadcast = layout_flags({3, 4}, {0, 1}, 4);
  EXPECT_TRUE(broadcast.contiguous);
  EXPECT_FALSE(broadcast.row_contiguous);
  EXPECT_FALSE(layout_flags({4}, {-1}, 4).contiguous);
}

TEST(Layout, AxesOfSizeOneDoNotMatter) {
  const array::Flags flags = layout_flags({1, 3, 1, 4}, {77, 4, -5, 1}, 12);
  EXPECT_TRUE(flags.row_contiguous && flags.contiguous);
}

TEST(Layout, CountsRefuseWhatDoesNotFit) {
  EXPECT_EQ(element_count({0, 1 << 30, 1 << 30}), 0u);
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_THROW(element_count({-1}), std::invalid_argument);
  EXPECT_THROW(element_count({1 << 30, 1 << 30, 1 << 30}), std::invalid_argument);
}

TEST(Layout, CollapsesEvenlySpacedAxes) {
  const std::array<Strides, 2> strides{Strides{12, 4, 1}, Strides{0, 4, 1}};
  const CollapsedAxes axes = collapse_axes({2, 3, 4}, strides);
  EXPECT_EQ(axes.shape, (SmallVector<int64_t>{2, 12}));
  EXPECT_EQ(axes.strides[0], (Strides{12, 1}));
  EXPECT_EQ(axes.strides[1], (Strides{0, 1}));
}

TEST(Layout, CollapseLeavesOneAxisForScalars) {
  const std::array<Strides, 1> strides{Strides{}};
  EXPECT_EQ(collapse_axes({}, strides).shape, (SmallVector<int64_t>{1}));
}

TEST(Layout, ReshapesOfStridedArraysAreViewsWhereTheyCan) {
  Strides out;
  EXPECT_TRUE(reshape_strides({4, 6}, {12, 2}, {2, 2, 3, 2}, out));
  EXPECT_EQ(out, (Strides{24, 12, 4, 2}));
  EXPECT_FALSE(reshape_strides({4, 6}, {1, 4}, {24}, out));
  EXPECT_TRUE(reshape_strides({4, 6}, {0, 1}, {4, 2, 3}, out));
  EXPECT_EQ(out, (Strides{0, 3, 1}));
}

TEST(SmallVector, GrowsPastItsInlineStorage) {
  SmallVector<int, 2> v{1, 2};
  v.insert(v.begin() + 1, 7);
  EXPECT_EQ(v, (SmallVector<int, 2>{1, 7, 2}));
  SmallVector<int, 2> moved = std::move(v);
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_TRUE(v.empty());  // NOLINT(bugprone-use-after-move): a moved-from vector is empty
  v.push_back(5);
  EXPECT_EQ(v.back(), 5);
  moved.erase(moved.begin());
  EXPECT_EQ(moved, (SmallVector<int, 2>{7, 2}));
  EXPECT_THROW(moved.at(2), std::out_of_range);
  for (int i = 0; i < 100; ++i) moved.push_back(moved.front());
  EXPECT_EQ(moved.size(), 102u);
}

TEST(SmallVector, AssignsOverItself) {
  SmallVector<int, 2> v{1, 2, 3};
  const SmallVector<int, 2>& same = v;
  v = same;
  EXPECT_EQ(v, (SmallVector<int, 2>{1, 2, 3}));
}

}  // namespace
}  // namespace plimsoll
