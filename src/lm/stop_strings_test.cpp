#include "lm/stop_strings.h"

#include <gtest/gtest.h>

namespace plimsoll::lm {
namespace {

// What is shown after each piece, joined by bars, and the rest behind "/".
std::string shown(std::vector<std::string> stops, const std::vector<std::string>& pieces) {
  StopStrings filter(std::move(stops));
  std::string out;
  for (const std::string& piece : pieces) out += filter.push(piece) + "|";
  return out + "/" + filter.flush();
}

TEST(StopStrings, HoldsBackWhatMayBeginOne) {
  EXPECT_EQ(shown({"END"}, {"the ", "E", "N", "T", "ry"}), "the |||ENT|ry|/");
  EXPECT_EQ(shown({"END"}, {"the E", "ND of it"}), "the ||/");
  EXPECT_EQ(shown({"END"}, {"the E"}), "the |/E");
}

TEST(StopStrings, TheEarliestEndsTheText) {
  EXPECT_EQ(shown({"later", "now"}, {"a now or later"}), "a |/");
  EXPECT_EQ(shown({"aab"}, {"a", "a", "a", "b", "c"}), "||a|||/");
}

TEST(StopStrings, LeavesTextAloneWithoutAny) {
  EXPECT_EQ(shown({}, {"a", "b"}), "a|b|/");
  EXPECT_EQ(shown({""}, {"a"}), "a|/");
}

}  // namespace
}  // namespace plimsoll::lm
