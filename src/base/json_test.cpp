#include "base/json.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"

namespace plimsoll::base {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, "x.json", limits);
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("[x.json] "));
    return error.what();
  }
  return "accepted";
}

TEST(Json, ReadsEveryKind) {
  const auto document = parse_json(
      R"({"n": null, "t": true, "i": -7, "u": 18446744073709551615, "f": 1.5, "s": "a\u00e9\ud83e\udd99", "a": [1, [2], {}]})",
      "x.json");
  const JsonValue root = document.root();
  ASSERT_TRUE(root.is_object());
  EXPECT_EQ(root.size(), 7u);
  EXPECT_TRUE(root.at("n").is_null());
  EXPECT_TRUE(root.get_bool("t"));
  EXPECT_EQ(root.get_int("i"), -7);
  EXPECT_EQ(root.at("u").to_uint("u"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(root.get_double("f"), 1.5);
  EXPECT_EQ(root.get_double("i"), -7.0);
  EXPECT_EQ(root.get_string("s"), "a\u00e9\U0001f999");
  const JsonValue array = root.at("a").to_array("a");
  ASSERT_EQ(array.size(), 3u);
  EXPECT_EQ(array.element(0).to_int("a"), 1);
  EXPECT_EQ(array.element(1).element(0).to_int("a"), 2);
  EXPECT_EQ(array.element(2).size(), 0u);
  EXPECT_EQ(root.member(1).key, "t");
  EXPECT_FALSE(root.find("missing").has_value());
}

TEST(Json, ScalarsMayStandAlone) {
  EXPECT_EQ(parse_json(" 3 ", "x").root().to_int("x"), 3);
  EXPECT_EQ(parse_json("\"\"", "x").root().to_string("x"), "");
}

TEST(Json, FallbacksStandForMissingAndNull) {
  const auto document = parse_json(R"({"a": null, "b": 2})", "x.json");
  const JsonValue root = document.root();
  EXPECT_EQ(root.get_int("a", 5), 5);
  EXPECT_EQ(root.get_int("b", 5), 2);
  EXPECT_EQ(root.get_double("c", 0.5), 0.5);
  EXPECT_EQ(root.get_bool("c", true), true);
  EXPECT_EQ(root.get_string("c", "none"), "none");
}

TEST(Json, WrongKindNamesFileFieldAndKind) {
  const auto document = parse_json(R"({"a": "1", "b": -1, "c": 1.0, "d": 9223372036854775808})", "x.json");
  const JsonValue root = document.root();
  const auto throws = [](const char* message) { return testing::ThrowsMessage<FileError>(message); };
  EXPECT_THAT([&] { root.get_int("a"); }, throws("[x.json] field 'a': expected an integer of 64 bits, found a string"));
  EXPECT_THAT([&] { root.at("b").to_uint("b"); },
              throws("[x.json] field 'b': expected an integer that is not negative, found -1"));
  EXPECT_THAT([&] { root.get_int("zz"); }, throws("[x.json] field 'zz': is missing"));
  EXPECT_THROW(root.get_int("c"), FileError);
  EXPECT_THROW(root.get_int("d"), FileError);
  EXPECT_THROW(root.get_string("b"), FileError);
  EXPECT_THROW(root.get_bool("b"), FileError);
  EXPECT_THROW(root.get_double("a"), FileError);
  EXPECT_THROW(root.to_array("root"), FileError);
  EXPECT_THROW(root.at("a").at("b"), FileError);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1,}", "{a:1}", "[1] 2", "nul", "NaN", "1e999", "'a'", "/**/1",
                           "\"\\ud800\"", "\"\xff\"", "\"\n\"", "[01]"}) {
    EXPECT_THAT(refusal(text), HasSubstr("is not valid JSON")) << text;
  }
}

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_THAT(refusal(R"({"a": 1, "b": {"a": 1}, "a": 2})"), HasSubstr("duplicate key 'a'"));
  EXPECT_THAT(refusal(R"({"a": 1, "\u0061": 2})"), HasSubstr("duplicate key 'a'"));
  EXPECT_EQ(refusal(R"([{"a": 1}, {"a": 1}])"), "accepted");
}

TEST(Json, EnforcesLimits) {
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(refusal("[[1]]", {.max_depth = 1}), HasSubstr("nested deeper than 1"));
  EXPECT_THAT(refusal("[1, 2, 3]", {.max_values = 2}), HasSubstr("more than 2 values"));
  EXPECT_THAT(refusal("[1, 2, 3]", {.max_bytes = 8}), HasSubstr("longer than the 8B"));
  EXPECT_EQ(refusal("[1, 2, 3]", {.max_bytes = 9, .max_depth = 1, .max_values = 4}), "accepted");
}

TEST(Json, LongTokensDoNotFillTheMessage) {
  EXPECT_LT(refusal("[" + std::string(100000, '1') + "x]").size(), 400u);
  EXPECT_LT(refusal("{\"" + std::string(100000, 'k') + "\":1,\"" + std::string(100000, 'k') + "\":2}").size(), 400u);
}

TEST(Json, AVocabularyIsCompact) {
  constexpr int kTokens = 100000;
  std::string text = "{";
  for (int i = 0; i < kTokens; ++i) text += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + "\":" + std::to_string(i);
  text += "}";
  const auto document = parse_json(text, "x.json");
  ASSERT_EQ(document.root().size(), size_t{kTokens});
  EXPECT_EQ(document.root().member(kTokens - 1).value.to_int("t"), kTokens - 1);
  EXPECT_LT(document.memory_bytes(), size_t{kTokens} * 40);
}

TEST(Json, QuotedTextReadsBack) {
  const std::string text = "a\"b\\c\n\x01\u00e9\U0001f999";
  EXPECT_EQ(parse_json(json_quoted(text), "x").root().to_string("x"), text);
}

}  // namespace
}  // namespace plimsoll::base
