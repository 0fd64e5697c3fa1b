// Ctrl-C.
#include <csignal>

#include <gmock/gmock.h>

#include "cli/models.h"

namespace plimsoll::cli_tests {
namespace {

using std::chrono::seconds;

std::vector<std::string> endless_generation() {
  return {"generate", "--model", tiny_model(), "--prompt", "x", "--max-tokens", "0", "--kv-cache-tokens", "1000000"};
}

TEST(Interrupt, EndsAGenerationAfterItsStep) {
  Process process({.arguments = endless_generation()});
  ASSERT_TRUE(process.read_until([](const Outcome& so_far) { return so_far.out.size() >= 10; }, seconds(60)));
  process.send(SIGINT);
  const Outcome outcome = process.finish(seconds(60));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_TRUE(outcome.out.ends_with('\n'));
  EXPECT_THAT(outcome.err, testing::HasSubstr("tokens/s"));
}

TEST(Interrupt, LeavesWholeJson) {
  std::vector<std::string> arguments = endless_generation();
  arguments.insert(arguments.end(), {"--json", "--verbose"});
  Process process({.arguments = arguments});
  ASSERT_TRUE(process.read_until([](const Outcome& so_far) { return so_far.err.find("loaded") != std::string::npos; },
                                 seconds(60)));
  process.send(SIGINT);
  const Outcome outcome = process.finish(seconds(60));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(json::parse(outcome.out)["stop_reason"], "interrupted");
}

TEST(Interrupt, EndsAChatThatWaitsForALine) {
  Process process({.arguments = {"chat", "--model", tiny_model(), "--chat-format", "zephyr", "--max-tokens", "3"},
                   .input = "hello\n",
                   .keep_input_open = true});
  ASSERT_TRUE(process.read_until([](const Outcome& so_far) { return so_far.out.ends_with('\n'); }, seconds(60)));
  process.send(SIGINT);
  EXPECT_EQ(process.finish(seconds(60)).exit_code, 130);
}

// Reading a prompt is no step that ends by itself: once is not enough, twice is.
TEST(Interrupt, TwiceEndsAtOnce) {
  Process process(
      {.arguments = {"generate", "--model", tiny_model(), "--prompt-file", "-", "--verbose"}, .keep_input_open = true});
  ASSERT_TRUE(process.read_until([](const Outcome& so_far) { return so_far.err.find("loaded") != std::string::npos; },
                                 seconds(60)));
  process.send(SIGINT);
  EXPECT_FALSE(process.read_until([](const Outcome&) { return false; }, seconds(1)));
  process.send(SIGINT);
  EXPECT_EQ(process.finish(seconds(60)).exit_code, 130);
}

}  // namespace
}  // namespace plimsoll::cli_tests
