#include "plimsoll/dtype.h"

#include <array>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace plimsoll {
namespace {

constexpr std::array kAll{bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
                          int32, int64, float16, float32, float64, bfloat16, complex64};

// MLX's table, a row and a column for each dtype in the order above: b u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8 (bf) c.
constexpr const char* kPromotions[] = {
    "b u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8 bf c",  "u1 u1 u2 u4 u8 i2 i2 i4 i8 f2 f4 f8 bf c",
    "u2 u2 u2 u4 u8 i4 i4 i4 i8 f2 f4 f8 bf c", "u4 u4 u4 u4 u8 i8 i8 i8 i8 f2 f4 f8 bf c",
    "u8 u8 u8 u8 u8 f4 f4 f4 f4 f2 f4 f8 bf c", "i1 i2 i4 i8 f4 i1 i2 i4 i8 f2 f4 f8 bf c",
    "i2 i2 i4 i8 f4 i2 i2 i4 i8 f2 f4 f8 bf c", "i4 i4 i4 i8 f4 i4 i4 i4 i8 f2 f4 f8 bf c",
    "i8 i8 i8 i8 f4 i8 i8 i8 i8 f2 f4 f8 bf c", "f2 f2 f2 f2 f2 f2 f2 f2 f2 f2 f4 f8 f4 c",
    "f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f8 f4 c", "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 c",
    "bf bf bf bf bf bf bf bf bf f4 f4 f8 bf c", "c c c c c c c c c c c c c c",
};

std::string short_name(Dtype dtype) {
  switch (kindof(dtype)) {
    case Dtype::Kind::b:
      return "b";
    case Dtype::Kind::c:
      return "c";
    case Dtype::Kind::V:
      return "bf";
    case Dtype::Kind::u:
      return "u" + std::to_string(dtype.size());
    case Dtype::Kind::i:
      return "i" + std::to_string(dtype.size());
    case Dtype::Kind::f:
      return "f" + std::to_string(dtype.size());
  }
  return {};
}

TEST(Dtype, PromotesAsMlxDoes) {
  for (size_t i = 0; i < kAll.size(); ++i) {
    std::string row;
    for (const Dtype other : kAll) row += (row.empty() ? "" : " ") + short_name(promote_types(kAll[i], other));
    EXPECT_EQ(row, kPromotions[i]) << kAll[i];
  }
}

TEST(Dtype, PromotionIsSymmetric) {
  for (const Dtype a : kAll) {
    for (const Dtype b : kAll) EXPECT_EQ(promote_types(a, b).val(), promote_types(b, a).val()) << a << " " << b;
  }
}

TEST(Dtype, CategoriesFormATree) {
  EXPECT_TRUE(issubdtype(float16, floating));
  EXPECT_TRUE(issubdtype(float16, inexact));
  EXPECT_TRUE(issubdtype(complex64, inexact));
  EXPECT_FALSE(issubdtype(complex64, floating));
  EXPECT_TRUE(issubdtype(uint8, integer));
  EXPECT_FALSE(issubdtype(bool_, number));
  EXPECT_TRUE(issubdtype(bool_, generic));
  EXPECT_TRUE(issubdtype(signedinteger, number));
  EXPECT_FALSE(issubdtype(number, signedinteger));
}

// Every float16, and the midpoints between neighbours, which must go to the even one.
TEST(HalfTypes, RoundToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float value = float16_t::from_bits(static_cast<uint16_t>(bits));
    ASSERT_EQ(float16_t(value).bits, bits);
    ASSERT_EQ(float16_t(-value).bits, bits | 0x8000);
    if (bits + 1 == 0x7c00) break;
    const float next = float16_t::from_bits(static_cast<uint16_t>(bits + 1));
    const float middle = value + (next - value) / 2;
    ASSERT_EQ(float16_t(middle).bits, bits + (bits & 1)) << value;
    ASSERT_EQ(float16_t(std::nextafter(middle, 0.0f)).bits, bits) << value;
    ASSERT_EQ(float16_t(std::nextafter(middle, 1e9f)).bits, bits + 1) << value;
  }
}

TEST(HalfTypes, KeepInfinityAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(float16_t(infinity).bits, 0x7c00);
  EXPECT_EQ(float16_t(65519.0f).bits, 0x7bff);
  EXPECT_EQ(float16_t(65520.0f).bits, 0x7c00);
  EXPECT_EQ(bfloat16_t(-infinity).bits, 0xff80);
  EXPECT_TRUE(std::isnan(static_cast<float>(float16_t(std::nanf("")))));
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16_t(std::bit_cast<float>(0x7f800001u)))));
}

TEST(HalfTypes, BfloatRoundsToNearestEven) {
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0x3f808000u)).bits, 0x3f80);
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0x3f808001u)).bits, 0x3f81);
  EXPECT_EQ(bfloat16_t(std::bit_cast<float>(0x3f818000u)).bits, 0x3f82);
  EXPECT_EQ(bfloat16_t(std::numeric_limits<float>::max()).bits, 0x7f80);
}

}  // namespace
}  // namespace plimsoll
