#include "text/utf8.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

std::string repaired(std::string_view text) {
  std::string out;
  append_repaired(text, out);
  return out;
}

// What Python's bytes.decode(errors="replace") gives; R stands for U+FFFD.
TEST(Utf8, IllFormedPartsAreCutAsPythonCutsThem) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\xFF", "R"},
      {"a\x80z", "aRz"},
      {"\xC3(", "R("},
      {"\xE2\x82(", "R("},
      {"\xE2(\xA1", "R(R"},
      {"\xF0\x9F\xA6", "R"},
      {"\xF0\x9F\xA6 ok", "R ok"},
      {"\xC0\xAF", "RR"},
      {"\xE0\x80\xAF", "RRR"},
      {"\xED\xA0\x80", "RRR"},
      {"\xED\xA0\xBD\xED\xB8\x80", "RRRRRR"},
      {"\xF4\x90\x80\x80", "RRRR"},
      {"\xF0\x80\x80\xAF", "RRRR"},
      {"\xF8\x88\x80\x80\x80", "RRRRR"},
      {"\xF0\x9F\xA6\x99\xF0\x9F\xA6", "\U0001F999R"},
  };
  for (const auto& [bytes, pattern] : cases) {
    std::string expected;
    for (const char c : pattern) c == 'R' ? expected += kReplacementCharacter : expected += c;
    EXPECT_EQ(repaired(bytes), expected) << testing::PrintToString(bytes);
    EXPECT_FALSE(is_valid_utf8(bytes));
    EXPECT_TRUE(is_valid_utf8(repaired(bytes)));
  }
}

TEST(Utf8, EveryCharacterSurvives) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    append_utf8(c, text);
    ASSERT_EQ(text.size(), utf8_length(text[0]));
    ASSERT_EQ(utf8_unit(text, 0).value, c);
    ASSERT_EQ(last_character("x" + text), c);
  }
}

TEST(Utf8, WhiteSpaceIsMeasuredAtBothEnds) {
  const std::string text = "\u3000\u00a0 x\u0085\u2029\t";
  EXPECT_EQ(leading_white_space(text), 6u);
  EXPECT_EQ(trailing_white_space(text), 6u);
  EXPECT_EQ(trailing_white_space(" \u00a0"), 3u);
  EXPECT_FALSE(is_white_space(0x180E));
  EXPECT_FALSE(is_white_space(0x200B));
}

}  // namespace
}  // namespace plimsoll::text
