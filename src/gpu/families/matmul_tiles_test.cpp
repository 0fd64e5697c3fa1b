#include "gpu/families/matmul_tiles.h"

#include <string>

#include "gtest/gtest.h"

namespace plimsoll::gpu {
namespace {

using Kind = ProductChoice::Kind;

hal::DeviceInfo large_device() {
  hal::DeviceInfo device;
  device.type = hal::DeviceType::kDiscrete;
  device.max_group_size = 1024;
  device.shared_memory_bytes = 48 << 10;
  device.subgroup_size = device.min_subgroup_size = device.max_subgroup_size = 32;
  device.compute_units = 132;
  return device;
}

Tensor tensor_of(const Shape& shape, Dtype dtype) {
  Tensor t;
  t.dtype = dtype;
  t.shape = shape;
  t.strides = row_major_strides(shape);
  t.size = t.data_size = element_count(shape);
  return t;
}

struct Matrices {
  Tensor a, b, out;

  Matrices(ShapeElem M, ShapeElem K, ShapeElem N, Dtype dtype)
      : a(tensor_of({M, K}, dtype)), b(tensor_of({K, N}, dtype)), out(tensor_of({M, N}, dtype)) {}
  Product product() const { return product_of(a, b, nullptr, out); }
};

ProductChoice choice_of(const Matrices& m) { return choose_product(m.product(), large_device()); }

TEST(MatmulTiles, PartsCoverEveryK) {
  for (const Dtype dtype : {float32, bfloat16}) {
    for (const ShapeElem M : {1, 8, 9, 64, 700}) {
      for (const ShapeElem K : {0, 1, 255, 512, 4097, 65536, 1000003}) {
        const ProductChoice choice = choice_of(Matrices(M, K, 48, dtype));
        SCOPED_TRACE(std::to_string(M) + " rows, K " + std::to_string(K));
        EXPECT_GE(choice.parts * choice.chunk, K);
        EXPECT_TRUE(choice.parts == 1 || (choice.parts - 1) * choice.chunk < K);
        EXPECT_TRUE(choice.parts == 1 || choice.chunk % 64 == 0) << "packets would straddle parts";
      }
    }
  }
}

TEST(MatmulTiles, LongSumsOfFewTilesAreSplit) {
  EXPECT_GT(choice_of(Matrices(128, 65536, 128, float32)).parts, 8);
  EXPECT_EQ(choice_of(Matrices(4096, 4096, 4096, float32)).parts, 1);
}

TEST(MatmulTiles, FewRowsStreamTheMatrixInItsOwnOrder) {
  Matrices m(4, 512, 4096, float16);
  EXPECT_EQ(choice_of(m).kind, Kind::kColumns);
  m.b.strides = {1, 512};
  EXPECT_EQ(choice_of(m).kind, Kind::kRows);
  m.b.strides = {2, 1024};
  EXPECT_EQ(choice_of(m).kind, Kind::kTiled);
}

TEST(MatmulTiles, FewColumnsAreTurnedIntoFewRows) {
  const Matrices m(4096, 512, 3, float32);
  const Product p = m.product();
  EXPECT_EQ(p.M, 3);
  EXPECT_EQ(p.N, 4096);
  EXPECT_EQ(p.out.row, 1);
  EXPECT_EQ(p.out.column, 3);
  EXPECT_EQ(choice_of(m).kind, Kind::kRows);
}

TEST(MatmulTiles, SharedMatrixTakesTheBatchAsRows) {
  const Tensor a = tensor_of({6, 5, 32}, float32), b = tensor_of({32, 40}, float32),
               out = tensor_of({6, 5, 40}, float32);
  const Product p = product_of(a, b, nullptr, out);
  EXPECT_EQ(p.M, 30);
  EXPECT_EQ(p.members, 1);
}

TEST(MatmulTiles, BatchesOfManyAxesAreTakenApart) {
  Tensor a = tensor_of({2, 3, 2, 3, 4, 5}, float32), b = tensor_of({2, 3, 2, 3, 5, 6}, float32);
  const Tensor out = tensor_of({2, 3, 2, 3, 4, 6}, float32);
  a.strides[1] = a.strides[3] = 0;  // broadcast
  b.strides[0] = b.strides[2] = 0;
  const Product p = product_of(a, b, nullptr, out);
  ASSERT_EQ(p.lengths.size(), 4u);
  const auto inner = with_batch_axes(p, 3);
  ASSERT_EQ(inner.size(), 2u);
  EXPECT_EQ(inner[1].members, 18);
  EXPECT_EQ(inner[1].a.offset, a.strides[0]);
  EXPECT_EQ(inner[1].b.offset, 0);
  EXPECT_EQ(inner[1].out.offset, 18 * 24);
}

TEST(MatmulTiles, LargeProductsTakeLargeTilesAndSmallOnesFillTheDevice) {
  const ProductTile large = choice_of(Matrices(8192, 8192, 8192, float32)).tile;
  EXPECT_EQ(large.rows * large.columns, 128u * 128u);
  const ProductChoice small = choice_of(Matrices(256, 256, 256, float32));
  EXPECT_LT(small.tile.rows * small.tile.columns, 128u * 128u);
}

TEST(MatmulTiles, EveryTileIsWhole) {
  for (const auto& table : {tiled_tiles(), cooperative_tiles()}) {
    for (const ProductTile& tile : table) {
      EXPECT_EQ(tile.rows % tile.worker_rows, 0u);
      EXPECT_EQ(tile.columns % tile.worker_columns, 0u);
      EXPECT_EQ(tile.depth % 16, 0u);
    }
  }
}

}  // namespace
}  // namespace plimsoll::gpu
