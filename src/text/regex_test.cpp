#include "text/regex.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

std::string first_match(std::string_view pattern, std::string_view text) {
  RegexScratch scratch;
  const auto match = Regex(pattern).find(text, 0, scratch);
  return match ? std::string(text.substr(match->begin, match->end - match->begin)) : "none";
}

TEST(Regex, SpacesAreUnicodesAndNotPerls) {
  EXPECT_EQ(first_match(R"(\s+)", "a\u0085\u00a0\u2028\u3000b"), "\u0085\u00a0\u2028\u3000");
  EXPECT_EQ(first_match(R"(\s)", "\u180e"), "none");
  EXPECT_EQ(first_match(R"([\s]+)", "\u180e \u1680x"), " \u1680");
  EXPECT_EQ(first_match(R"([^\s]+)", " \u180e\u2003"), "\u180e");
  EXPECT_EQ(first_match(R"([\S]+)", " \u180e\u2003"), "\u180e");
  EXPECT_EQ(first_match(R"(\S+)", "\u2003\u180e"), "\u180e");
}

TEST(Regex, WordCharactersIncludeMarks) {
  EXPECT_EQ(first_match(R"(\w+)", "-e\u0301\u203f9-"), "e\u0301\u203f9");
  EXPECT_EQ(first_match(R"(\W+)", "a+\u2003b"), "+\u2003");
}

TEST(Regex, ScriptsAreNotWidenedToExtensions) {
  EXPECT_EQ(first_match(R"(\p{Han}+)", "\u30fc\u3007\u4e2d"), "\u3007\u4e2d");
  EXPECT_EQ(first_match(R"(\p{Hiragana}+)", "\u30fc\u3042"), "\u3042");
}

TEST(Regex, EscapesThatMeanSomethingElseAreRespelled) {
  EXPECT_EQ(pcre2_from_oniguruma(R"(\v\u4e2d\x41)"), R"(\x0B\x{4e2d}\x41)");
  EXPECT_EQ(first_match(R"(^b)", "a\nb"), "b");
}

TEST(Regex, WhatHasNoSureEqualIsRefused) {
  for (const char* pattern : {R"(\h)",         R"(\bx)",   R"([a[bc]])",      R"([a-z&&[aeiou]])",
                              R"((?<name>x))", R"((?i)x)", R"((*FAIL))",      R"(x{,3})",
                              R"(x{2}+)",      R"(\xFF)",  R"(\1)",           R"(\Q)",
                              R"(\p{)",        R"(\pL)",   R"([\W])",         R"([)",
                              R"(\)",          R"(()",     R"(\p{Nonsense})", R"([]])",
                              R"((?m:x))"}) {
    EXPECT_THROW(Regex{pattern}, std::invalid_argument) << pattern;
  }
}

TEST(Regex, AnExplosivePatternGivesUp) {
  RegexScratch scratch;
  const Regex regex(R"((a+)+$)");
  EXPECT_THROW(regex.find(std::string(60, 'a') + "b", 0, scratch), std::runtime_error);
}

}  // namespace
}  // namespace plimsoll::text
