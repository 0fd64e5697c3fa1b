// Every way to use the command wrongly: its exit code, and a message that says what is wrong.
#include <gmock/gmock.h>

#include "cli/models.h"

namespace plimsoll::cli_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Misuse {
  const char* name;
  std::vector<std::string> arguments;  // "TINY" stands for the tiny model
  int exit_code;
  std::vector<std::string> messages;
};

void PrintTo(const Misuse& misuse, std::ostream* stream) { *stream << misuse.name; }

const std::vector<std::string> kGenerate = {"generate", "--model", "TINY", "--prompt", "x"};

std::vector<std::string> generate_with(std::vector<std::string> more) {
  more.insert(more.begin(), kGenerate.begin(), kGenerate.end());
  return more;
}

const Misuse kMisuses[] = {
    {"NoCommand", {}, 2, {"a command is required"}},
    {"UnknownCommand", {"frobnicate"}, 2, {"frobnicate"}},
    {"UnknownOption", generate_with({"--frobnicate"}), 2, {"--frobnicate"}},
    {"NoModel", {"generate", "--prompt", "x"}, 2, {"--model is required"}},
    {"NoPrompt", {"generate", "--model", "TINY"}, 2, {"--prompt or --prompt-file is required"}},
    {"TwoPrompts", generate_with({"--prompt-file", "y"}), 2, {"--prompt", "excludes"}},
    {"MissingModel", {"generate", "--model", "/nowhere", "--prompt", "x"}, 65, {"[/nowhere]", "no model of that name"}},
    {"MissingPromptFile", {"generate", "--model", "TINY", "--prompt-file", "/nowhere"}, 65, {"[/nowhere]"}},
    {"BadSize", generate_with({"--memory-limit", "5GB"}), 2, {"--memory-limit", "'5GB'", "24.5GiB"}},
    {"NegativeCount", generate_with({"--max-tokens", "-1"}), 2, {"--max-tokens"}},
    {"NoNumber", generate_with({"--max-tokens", "many"}), 2, {"--max-tokens"}},
    {"BadDtype", generate_with({"--dtype", "int8"}), 2, {"--dtype", "int8"}},
    {"BadThreads", generate_with({"--threads", "0"}), 2, {"--threads"}},
    {"BadTemperature", generate_with({"--temperature", "-1"}), 2, {"temperature"}},
    {"EmptyStop", generate_with({"--stop", ""}), 2, {"--stop"}},
    {"UnknownChatFormat", generate_with({"--chat-format", "morse"}), 2, {"morse", "chatml"}},
    {"RawWithSystem", generate_with({"--raw", "--system", "y"}), 2, {"--raw excludes --system"}},
    {"SystemWithoutTemplate", generate_with({"--system", "y"}), 2, {"--system", "--chat-format"}},
    {"ChatWithoutTemplate", {"chat", "--model", "TINY"}, 2, {"no chat template", "--chat-format"}},
    {"PromptBeyondTheCache", generate_with({"--kv-cache-tokens", "1"}), 2, {"the prompt has 2 tokens", "holds 1"}},
    {"NoAdapters", generate_with({"--adapter", "d"}), 2, {"--adapter", "this build does not have"}},
    {"NoProfile", generate_with({"--profile=shapes"}), 2, {"--profile", "this build does not have"}},
    {"NoTrace", generate_with({"--trace", "t.json"}), 2, {"--trace", "this build does not have"}},
    {"NoSuchVulkanDevice", generate_with({"--device", "vulkan:99"}), 69, {"vulkan"}},
    {"NoSuchMachine", generate_with({"--device", "sim:abacus"}), 69, {"abacus", "m1max-32"}},
    {"UnknownDevice", generate_with({"--device", "abacus"}), 69, {"abacus", "cpu"}},
    {"UnknownModelToPull", {"pull", "no-such-model"}, 2, {"no-such-model", "smollm2-135m-instruct"}},
    {"TinyIntoNowhere", {"make-tiny", "/nowhere/tiny.gguf"}, 74, {"[/nowhere/tiny.gguf]"}},
    {"MissingData", {"eval", "--model", "TINY", "--data", "/nowhere"}, 65, {"[/nowhere]"}},
    {"NoBenchmark", {"bench"}, 2, {"is required"}},
    {"UnknownOperation", {"bench", "op", "frobnicate"}, 2, {"frobnicate", "matmul"}},
    {"UnknownBlockFormat", {"bench", "op", "quantized", "--format", "Q9"}, 2, {"--format", "'Q9'"}},
    {"RaggedBlocks", {"bench", "op", "quantized", "--inner", "100"}, 2, {"--inner", "100"}},
};

class Misused : public testing::TestWithParam<Misuse> {};

TEST_P(Misused, SaysWhatIsWrong) {
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    if (argument == "TINY") argument = tiny_model();
  }
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("plimsoll: "));
  for (const std::string& message : GetParam().messages) EXPECT_THAT(outcome.err, HasSubstr(message));
}

INSTANTIATE_TEST_SUITE_P(Cli, Misused, testing::ValuesIn(kMisuses), [](const auto& test) { return test.param.name; });

TEST(Usage, EnvironmentNamesTheDevice) {
  const Outcome outcome = run({.arguments = {"devices"}, .environment = {{"PLIMSOLL_DEVICE", "abacus"}}});
  EXPECT_EQ(outcome.exit_code, 69);
  EXPECT_THAT(outcome.err, HasSubstr("'abacus'"));
}

TEST(Usage, EnvironmentThatIsNoThreadCountIsRefused) {
  const Outcome outcome = run({.arguments = {"devices"}, .environment = {{"PLIMSOLL_NUM_THREADS", "two"}}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--threads"));
}

TEST(Usage, PromptBeyondTheContextIsRefused) {
  const Outcome outcome = run({"generate", "--model", tiny_model(), "--prompt", std::string(4200, 'a')});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the prompt has 4201 tokens"), HasSubstr("holds 2048")));
}

TEST(Usage, FullDiskIsReported) {
  for (const char* json : {"--quiet", "--json"}) {
    const std::vector<std::string> arguments = {"generate", "--model", tiny_model(), "--prompt", "x", json};
    const Outcome outcome = run({.arguments = arguments, .stdout_path = "/dev/full"});
    EXPECT_EQ(outcome.exit_code, 74);
    EXPECT_THAT(outcome.err, HasSubstr("[stdout]"));
  }
}

TEST(Usage, HelpGivesAnExampleForEveryCommand) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{},
                                                                                       {"devices"},
                                                                                       {"pull"},
                                                                                       {"inspect"},
                                                                                       {"generate"},
                                                                                       {"chat"},
                                                                                       {"eval"},
                                                                                       {"bench"},
                                                                                       {"bench", "lm"},
                                                                                       {"bench", "op"},
                                                                                       {"make-tiny"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("Example:\n  plimsoll ")) << testing::PrintToString(command);
  }
}

TEST(Usage, VersionIsOneLine) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("plimsoll [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Usage, LimitAboveTheMachineWarns) {
  const Outcome outcome = run({"devices", "--memory-limit", "9000GiB"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning"), HasSubstr("8.8TiB")));
}

}  // namespace
}  // namespace plimsoll::cli_tests
