// `plimsoll generate` and `chat` on the tiny model.
#include <algorithm>

#include <gmock/gmock.h>

#include "cli/models.h"

namespace plimsoll::cli_tests {
namespace {

using testing::HasSubstr;

constexpr const char* kReplacement = "\xEF\xBF\xBD";

TEST(Generate, JsonHasAllFields) {
  const json object = generate_json(tiny_model(), {"--prompt", "hello", "--max-tokens", "12"});
  EXPECT_EQ(object["tokens"].size(), 12u);
  EXPECT_EQ(object["generated_tokens"], 12);
  EXPECT_EQ(object["prompt_tokens"], 6);  // BOS and five bytes
  EXPECT_EQ(object["stop_reason"], "length");
  EXPECT_EQ(object["device"], "cpu");
  EXPECT_EQ(object["model"], tiny_model());
  EXPECT_TRUE(object["text"].is_string());
  for (const char* field :
       {"prefill_seconds", "decode_seconds", "prefill_tokens_per_second", "decode_tokens_per_second"}) {
    EXPECT_GT(object[field].get<double>(), 0.0) << field;
  }
  const json& memory = object["memory"];
  for (const char* field : {"active", "peak", "cache", "mapped", "wired", "limit"}) {
    EXPECT_TRUE(memory[field].is_number_unsigned()) << field;
  }
  EXPECT_TRUE(memory.contains("cache_limit"));
  EXPECT_TRUE(memory.contains("wired_limit"));
  EXPECT_GT(memory["peak"], memory["mapped"]);
}

TEST(Generate, GivesTheSameTokensEveryTimeAndWithAnyThreads) {
  const std::vector<std::string> arguments = {"--prompt", "hello", "--max-tokens", "40", "--dtype", "float32"};
  const json first = generate_json(tiny_model(), arguments);
  EXPECT_EQ(generate_json(tiny_model(), arguments)["tokens"], first["tokens"]);
  for (const char* threads : {"1", "3"}) {
    std::vector<std::string> more = arguments;
    more.insert(more.end(), {"--threads", threads});
    EXPECT_EQ(generate_json(tiny_model(), more)["tokens"], first["tokens"]) << threads << " threads";
  }
}

TEST(Generate, SeedRepeatsTheSample) {
  const auto sample = [](const char* seed) {
    return generate_json(tiny_model(),
                         {"--prompt", "hello", "--max-tokens", "40", "--temperature", "1.5", "--seed", seed});
  };
  EXPECT_EQ(sample("7")["tokens"], sample("7")["tokens"]);
  EXPECT_NE(sample("7")["tokens"], sample("8")["tokens"]);
}

TEST(Generate, StreamsTheTextOfJsonAndOneLineAboutIt) {
  const std::vector<std::string> arguments = {"generate", "--model",      tiny_model(), "--prompt",
                                              "hello",    "--max-tokens", "30"};
  const Outcome outcome = run(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json object = generate_json(tiny_model(), {"--prompt", "hello", "--max-tokens", "30"});
  EXPECT_EQ(outcome.out, object["text"].get<std::string>() + "\n");
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("tokens/s"));
  EXPECT_THAT(outcome.err, HasSubstr("memory peak"));
}

TEST(Generate, QuietSaysNothingButTheText) {
  const Outcome outcome = run({"generate", "--model", tiny_model(), "--prompt", "x", "--max-tokens", "3", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(Generate, StopsBeforeAnyOfTheStopStrings) {
  const std::string text = generate_json(tiny_model(), {"--prompt", "hello", "--max-tokens", "40"})["text"];
  ASSERT_GE(text.size(), 20u);
  const std::string stop = text.substr(10, 3);
  const json object =
      generate_json(tiny_model(), {"--prompt", "hello", "--max-tokens", "40", "--stop", "never comes", "--stop", stop});
  EXPECT_EQ(object["stop_reason"], "stop");
  EXPECT_EQ(object["text"], text.substr(0, text.find(stop)));
}

// At a high temperature the tiny model's bytes are mostly no UTF-8, and now and then a character of several bytes.
TEST(Generate, NeverStreamsHalfACharacter) {
  Process process({.arguments = {"generate", "--model", tiny_model(), "--prompt", "x", "--max-tokens", "1500",
                                 "--temperature", "50", "--seed", "3", "--quiet"}});
  size_t reads = 0;
  const auto check = [&](const Outcome& so_far) {
    ++reads;
    EXPECT_TRUE(is_utf8(so_far.out)) << "after " << so_far.out.size() << " bytes";
    return HasFailure();
  };
  process.read_until(check, std::chrono::seconds(120));
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_GE(reads, 3u);
  EXPECT_THAT(outcome.out, HasSubstr(kReplacement));
  // Some character of two bytes came whole: the bytes 0xC2 to 0xDF only begin one.
  EXPECT_TRUE(std::ranges::any_of(outcome.out, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xC2 && byte <= 0xDF;
  }));
}

TEST(Generate, TakesThePromptFromAFileOrStdin) {
  const json given = generate_json(tiny_model(), {"--prompt", "from afar", "--max-tokens", "8"});
  const std::string path = write_file("prompt.txt", "from afar");
  EXPECT_EQ(generate_json(tiny_model(), {"--prompt-file", path, "--max-tokens", "8"})["tokens"], given["tokens"]);
  const Outcome piped =
      run({.arguments = {"generate", "--model", tiny_model(), "--prompt-file", "-", "--max-tokens", "8", "--json"},
           .input = "from afar"});
  EXPECT_EQ(json::parse(piped.out)["tokens"], given["tokens"]);
}

TEST(Generate, ControlTokensCountInRawPromptsOnly) {
  const json plain = generate_json(tiny_model(), {"--prompt", "a</s>b", "--max-tokens", "1"});
  const json raw = generate_json(tiny_model(), {"--prompt", "a</s>b", "--max-tokens", "1", "--raw"});
  EXPECT_EQ(plain["prompt_tokens"], 7);  // BOS and six bytes
  EXPECT_EQ(raw["prompt_tokens"], 4);    // BOS, a, </s>, b
}

TEST(Generate, ChatFormatPutsThePromptIntoATemplate) {
  const json plain = generate_json(tiny_model(), {"--prompt", "hi", "--max-tokens", "1"});
  const json chat = generate_json(tiny_model(), {"--prompt", "hi", "--max-tokens", "1", "--chat-format", "chatml"});
  const json told = generate_json(
      tiny_model(), {"--prompt", "hi", "--max-tokens", "1", "--chat-format", "chatml", "--system", "Be brief."});
  EXPECT_GT(chat["prompt_tokens"], plain["prompt_tokens"]);
  EXPECT_GT(told["prompt_tokens"], chat["prompt_tokens"]);
}

TEST(Generate, EndsWhereTheCacheIsFull) {
  const json object =
      generate_json(tiny_model(), {"--prompt", "hello", "--max-tokens", "0", "--kv-cache-tokens", "20"});
  EXPECT_EQ(object["stop_reason"], "cache_full");
  EXPECT_EQ(object["prompt_tokens"].get<int>() + object["generated_tokens"].get<int>(),
            21);  // the last is not fed back
}

TEST(Chat, AnswersEachLineAndUsesTheCacheAgain) {
  const Outcome outcome =
      run({.arguments = {"chat", "--model", tiny_model(), "--chat-format", "zephyr", "--max-tokens", "6", "--json"},
           .input = "first\n\nsecond"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const size_t middle = outcome.out.find('\n');
  const json first = json::parse(outcome.out.substr(0, middle));
  const json second = json::parse(outcome.out.substr(middle + 1));
  EXPECT_EQ(first["reused_tokens"], 0);
  EXPECT_GE(second["reused_tokens"], first["prompt_tokens"]);
  EXPECT_EQ(second["generated_tokens"], 6);
}

TEST(Chat, StreamsAnswersOnLinesOfTheirOwn) {
  const Outcome outcome =
      run({.arguments = {"chat", "--model", tiny_model(), "--chat-format", "zephyr", "--max-tokens", "6"},
           .input = "first\nsecond\n"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 2) << outcome.out;
  EXPECT_EQ(outcome.err, "");  // no prompt sign and no summary where there is no terminal
}

TEST(Chat, RefusesAConversationThatOutgrowsTheContext) {
  const Outcome outcome = run({.arguments = {"chat", "--model", tiny_model(), "--chat-format", "zephyr", "--max-tokens",
                                             "6", "--kv-cache-tokens", "60"},
                               .input = "first\nsecond\nthird\n"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the context (--kv-cache-tokens) holds 60"));
}

}  // namespace
}  // namespace plimsoll::cli_tests
