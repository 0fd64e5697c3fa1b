#include "base/quote.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace plimsoll::base {
namespace {

TEST(Quote, EscapesAndCuts) {
  EXPECT_EQ(quote("plain"), "'plain'");
  EXPECT_EQ(quote("a\nb\x1b[31m'\\"), "'a\\nb\\x1b[31m\\'\\\\'");
  EXPECT_EQ(quote("abcdef", 3), "'abc...'");
  EXPECT_EQ(quote("ab\xc3\xa9z", 3), "'ab...'");
  EXPECT_EQ(quote("ab\xc3\xa9"), "'ab\xc3\xa9'");
  EXPECT_EQ(quote("ab\xc3"), "'ab\\xc3'");
}

TEST(Utf8, AcceptsEveryLengthAndRefusesWhatIsIllFormed) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xc2\x80\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "a\xc2", "\xe1\x80", "\xf1\x80\x80", "\xe1\x80\x41"}) {
    EXPECT_FALSE(is_utf8(bad)) << quote(bad);
  }
}

}  // namespace
}  // namespace plimsoll::base
