#include "base/bytes.h"

#include <gtest/gtest.h>

namespace plimsoll::base {
namespace {

TEST(Bytes, ReadsSizes) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("1048576"), 1048576u);
  EXPECT_EQ(parse_bytes("512MiB"), 512ull << 20);
  EXPECT_EQ(parse_bytes("512mib"), 512ull << 20);
  EXPECT_EQ(parse_bytes("24.5GiB"), (24ull << 30) + (1ull << 29));
  EXPECT_EQ(parse_bytes("0.5KiB"), 512u);
  EXPECT_EQ(parse_bytes("3B"), 3u);
  EXPECT_EQ(parse_bytes("2TiB"), 2ull << 40);
  EXPECT_EQ(parse_bytes("18446744073709551615"), UINT64_MAX);
}

TEST(Bytes, RefusesAllElse) {
  for (const char* text : {"", "MiB", "-1", "+1", " 1", "1 MiB", "1e9", "1KB", "1M", "1.5", "1.", ".5GiB", "1..5GiB",
                           "1.5.5GiB", "18446744073709551616", "99999999999TiB", "0x10", "1GiBx"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(Bytes, WritesTheLargestFittingUnit) {
  EXPECT_EQ(format_bytes(0), "0B");
  EXPECT_EQ(format_bytes(1023), "1023B");
  EXPECT_EQ(format_bytes(1024), "1KiB");
  EXPECT_EQ(format_bytes(1536), "1.5KiB");
  EXPECT_EQ(format_bytes(512ull << 20), "512MiB");
  EXPECT_EQ(format_bytes((24ull << 30) + (1ull << 29)), "24.5GiB");
  EXPECT_EQ(format_bytes((1ull << 20) - 1), "1MiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16777216TiB");
}

TEST(Bytes, ReadsWhatItWrote) {
  for (const uint64_t bytes : {0ull, 7ull, 1024ull, 3ull << 19, 49ull << 29}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
  }
}

}  // namespace
}  // namespace plimsoll::base
