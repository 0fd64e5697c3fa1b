// The memory limit is a limit: it refuses just below the measured peak, lets pass just above it, and the system's own
// figure for the process stays below it, but for what the program takes without arrays.
#include <gmock/gmock.h>

#include "cli/models.h"

namespace plimsoll::cli_tests {
namespace {

using testing::HasSubstr;

constexpr uint64_t kProgramBytes = uint64_t{64} << 20;

std::vector<std::string> generation(const std::string& model) {
  return {"generate", "--model", model, "--prompt", "Why does a ship carry a line painted on its hull?", "--max-tokens",
          "24", "--dtype", "float32", "--json",
          // Looking for a GPU loads its driver, which the program's own bytes do not count.
          "--device", "cpu"};
}

Outcome run_limited(const std::string& model, uint64_t limit) {
  std::vector<std::string> arguments = generation(model);
  arguments.insert(arguments.end(), {"--memory-limit", std::to_string(limit)});
  return run(arguments);
}

uint64_t peak_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out)["memory"]["peak"].get<uint64_t>();
}

void expect_limit_holds(const std::string& model) {
  const Outcome free = run(generation(model));
  const uint64_t peak = peak_of(free);
  EXPECT_EQ(peak_of(run(generation(model))), peak) << "the peak repeats to the byte";

  const uint64_t above = peak + peak / 50;
  const Outcome passed = run_limited(model, above);
  EXPECT_EQ(peak_of(passed), peak);
  EXPECT_EQ(json::parse(passed.out)["tokens"], json::parse(free.out)["tokens"]);
  EXPECT_LE(passed.peak_resident_bytes, above + kProgramBytes);

  const uint64_t below = peak - peak / 50;
  const Outcome refused = run_limited(model, below);
  EXPECT_EQ(refused.exit_code, 73);
  EXPECT_EQ(refused.out, "");
  for (const char* part : {"Out of memory: asked for ", "the memory limit of ", "too small", "held: active ", "mapped ",
                           "cache ", "largest live: ", "what would help: raise --memory-limit"}) {
    EXPECT_THAT(refused.err, HasSubstr(part));
  }
  EXPECT_LE(refused.peak_resident_bytes, below + kProgramBytes);
}

TEST(MemoryLimit, HoldsForTheTinyModel) { expect_limit_holds(tiny_model()); }

TEST(MemoryLimit, HoldsForSmolLM2) {
  PLIMSOLL_SKIP_WITHOUT_SMOLLM2();
  expect_limit_holds(*smollm2());
}

TEST(MemoryLimit, RefusesAModelThatCannotFitBeforeItIsMapped) {
  const Outcome outcome = run_limited(tiny_model(), uint64_t{1} << 20);
  EXPECT_EQ(outcome.exit_code, 73);
  EXPECT_THAT(outcome.err, HasSubstr("[" + tiny_model() + "] Out of memory"));
  EXPECT_THAT(outcome.err, HasSubstr("the memory limit of 1MiB refuses"));
}

}  // namespace
}  // namespace plimsoll::cli_tests
