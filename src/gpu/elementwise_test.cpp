#include "gpu/elementwise.h"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kBase = 1 << 20;

// A tensor at `offset` bytes from an aligned address.
Tensor tensor(Dtype dtype, const Shape& shape, const Strides& strides, uint64_t offset = 0) {
  Tensor made;
  made.data = reinterpret_cast<std::byte*>(kBase + offset);
  made.dtype = dtype;
  made.shape = shape;
  made.strides = strides;
  made.size = element_count(shape);
  made.data_size = strided_extent(shape, strides);
  made.flags = layout_flags(shape, strides, made.data_size);
  return made;
}

Tensor dense(Dtype dtype, const Shape& shape, uint64_t offset = 0) {
  return tensor(dtype, shape, row_major_strides(shape), offset);
}

DenseLayout layout_of(const std::vector<Tensor>& operands) { return dense_layout(operands); }

TEST(Elementwise, VectorsAreSixteenBytesOfTheWidestElement) {
  const Shape shape{3, 64};
  EXPECT_EQ(layout_of({dense(float32, shape), dense(float32, shape)}).vector, 4u);
  EXPECT_EQ(layout_of({dense(float16, shape), dense(float16, shape)}).vector, 8u);
  EXPECT_EQ(layout_of({dense(float16, shape), dense(float32, shape)}).vector, 4u);
  EXPECT_EQ(layout_of({dense(uint8, shape), dense(bool_, shape)}).vector, 8u);
  EXPECT_EQ(layout_of({dense(int64, shape), dense(int64, shape)}).vector, 4u);
}

TEST(Elementwise, VectorsLieAtMultiplesOfTheirSize) {
  const Shape shape{64};
  EXPECT_EQ(layout_of({dense(float32, shape, 4), dense(float32, shape)}).vector, 1u);
  EXPECT_EQ(layout_of({dense(float32, shape), dense(float32, shape, 8)}).vector, 1u);
  EXPECT_EQ(layout_of({dense(float16, shape, 8), dense(float16, shape)}).vector, 4u);
  EXPECT_EQ(layout_of({dense(float16, shape, 2), dense(float16, shape)}).vector, 1u);
  EXPECT_EQ(layout_of({dense(uint8, shape, 4), dense(uint8, shape, 12)}).vector, 4u);
}

TEST(Elementwise, BroadcastsAlongRowsStayDense) {
  const Shape shape{5, 24};
  const Tensor each = dense(float32, shape);
  const DenseLayout row = layout_of({each, tensor(float32, shape, {0, 1}), each});
  EXPECT_TRUE(row.dense);
  EXPECT_EQ(row.modes[0], DenseLayout::kEach);
  EXPECT_EQ(row.modes[1], DenseLayout::kRow);
  EXPECT_EQ(row.width, 24u);
  EXPECT_EQ(row.vector, 4u);
  const DenseLayout column = layout_of({tensor(float32, shape, {1, 0}, 4), each, each});
  EXPECT_EQ(column.modes[0], DenseLayout::kColumn);
  EXPECT_EQ(column.vector, 4u) << "one element a row needs no alignment";
  EXPECT_EQ(layout_of({tensor(float32, shape, {0, 0}, 4), each, each}).modes[0], DenseLayout::kScalar);
  const Shape odd{5, 23};
  EXPECT_EQ(layout_of({tensor(float32, odd, {0, 1}), dense(float32, odd)}).vector, 1u) << "rows start anywhere";
}

TEST(Elementwise, ColumnMajorOperandsAreDenseTogether) {
  const Shape shape{5, 24};
  const auto ordered = [&](const Tensor& in, const Tensor& out) {
    std::vector<Tensor> operands{in, out};
    order_axes(operands);
    EXPECT_EQ(operands[1].shape, (Shape{24, 5}));
    return layout_of(operands);
  };
  const Tensor columns = tensor(float32, shape, {1, 5});
  EXPECT_TRUE(ordered(columns, columns).dense);
  EXPECT_FALSE(ordered(dense(float32, shape), columns).dense);
  EXPECT_EQ(ordered(tensor(float32, shape, {1, 0}), columns).modes[0], DenseLayout::kRow);
}

TEST(Elementwise, OthersAreStrided) {
  const Shape shape{5, 24};
  const Tensor each = dense(float32, shape);
  EXPECT_FALSE(layout_of({tensor(float32, shape, {48, 2}), each}).dense);
  EXPECT_FALSE(layout_of({tensor(float32, shape, {30, 1}), each}).dense);
  EXPECT_FALSE(layout_of({tensor(float32, shape, {-24, 1}), each}).dense);
  EXPECT_FALSE(layout_of({each, tensor(float32, shape, {30, 1})}).dense);
}

}  // namespace
}  // namespace plimsoll::gpu
