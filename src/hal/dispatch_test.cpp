#include "hal/dispatch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <sstream>
#include <string>

namespace plimsoll::hal {
namespace {

std::set<uint64_t> bytes_of(const Region& region) {
  std::set<uint64_t> bytes;
  for (uint64_t row = 0; row < region.rows; ++row) {
    for (uint64_t i = 0; i < region.row_bytes; ++i) bytes.insert(region.address + row * region.row_stride + i);
  }
  return bytes;
}

bool share_a_byte(const Region& a, const Region& b) {
  const std::set<uint64_t> bytes = bytes_of(a);
  for (const uint64_t byte : bytes_of(b)) {
    if (bytes.count(byte) != 0) return true;
  }
  return false;
}

std::string print(const Region& region) {
  std::ostringstream out;
  out << "{address " << region.address << ", row_bytes " << region.row_bytes << ", row_stride " << region.row_stride
      << ", rows " << region.rows << "}";
  return out.str();
}

void expect_exact(const Region& a, const Region& b) {
  const bool expected = share_a_byte(a, b);
  EXPECT_EQ(overlap(a, b), expected) << print(a) << " and " << print(b);
  EXPECT_EQ(overlap(b, a), expected) << print(b) << " and " << print(a);
}

class RandomRegions {
 public:
  explicit RandomRegions(uint32_t seed) : random_(seed) {}

  uint64_t below(uint64_t bound) { return random_() % bound; }

  // Any region within a few hundred bytes; one in eight is empty.
  Region any() { return with_stride(1 + below(24)); }

  Region with_stride(uint64_t stride) {
    Region region;
    region.address = 64 + below(96);
    region.row_stride = stride;
    region.rows = 1 + below(10);
    region.row_bytes = 1 + below(region.rows == 1 ? 40 : stride);
    if (below(16) == 0) region.row_bytes = 0;
    if (below(16) == 0) region.rows = 0;
    return region;
  }

 private:
  std::mt19937 random_;
};

TEST(Overlap, MatchesBytesOnRandomRegions) {
  RandomRegions random(20261201);
  for (int i = 0; i < 20000; ++i) expect_exact(random.any(), random.any());
}

TEST(Overlap, MatchesBytesOnRandomRegionsOfOneStride) {
  RandomRegions random(7);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t stride = 1 + random.below(24);
    expect_exact(random.with_stride(stride), random.with_stride(stride));
  }
}

TEST(Overlap, MatchesBytesOnStridesThatDivideEachOther) {
  RandomRegions random(11);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t stride = 1 + random.below(8);
    expect_exact(random.with_stride(stride), random.with_stride(stride * (1 + random.below(4))));
  }
}

TEST(Overlap, HoldsForEverySmallPair) {
  for (uint64_t address = 0; address < 14; ++address) {
    for (uint64_t stride = 1; stride < 5; ++stride) {
      for (uint64_t bytes = 1; bytes <= stride; ++bytes) {
        for (uint64_t rows = 1; rows < 4; ++rows) expect_exact({6, 2, 3, 3}, {address, bytes, stride, rows});
      }
    }
  }
}

TEST(Overlap, OfNeighboursIsNone) {
  EXPECT_FALSE(overlap({100, 10, 0, 1}, {110, 10, 0, 1}));
  EXPECT_TRUE(overlap({100, 11, 0, 1}, {110, 10, 0, 1}));
}

TEST(Overlap, OfInterleavedColumnsIsNone) {
  const Region left{0, 64, 128, 1 << 20};
  const Region right{64, 64, 128, 1 << 20};
  EXPECT_FALSE(overlap(left, right));
  EXPECT_TRUE(overlap(left, {63, 64, 128, 1 << 20}));
  EXPECT_FALSE(overlap(left, {64 + 128 * 5, 64, 256, 1000})) << "every second gap";
  EXPECT_TRUE(overlap(left, {64 + 128 * 5, 65, 256, 1000}));
}

TEST(Overlap, ReachesBeyond32Bits) {
  const uint64_t far = uint64_t{1} << 45;
  EXPECT_TRUE(overlap({far, 4096, 1 << 20, 1 << 16}, {far + (uint64_t{1} << 35), 1, 0, 1}));
  EXPECT_FALSE(overlap({far, 4096, 1 << 20, 1 << 16}, {far + (uint64_t{1} << 35) + 4096, 1, 0, 1}));
}

TEST(Region, EndsBehindItsLastByte) {
  EXPECT_EQ((Region{10, 4, 8, 3}.end()), 30u);
  EXPECT_EQ((Region{10, 0, 8, 3}.end()), 10u);
  EXPECT_EQ((Region{10, 4, 8, 0}.end()), 10u);
}

}  // namespace
}  // namespace plimsoll::hal
