// What generation does to memory: refusals at every request, steady decoding, limits that hold.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "plimsoll/errors.h"
#include "plimsoll/memory.h"
#include "graph/evaluation.h"
#include "lm/golden.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

using Tokens = std::vector<text::TokenId>;

std::string tiny_path() { return golden::path("models/llama-f32.gguf"); }

Tokens prompt() { return {60, 100, 110, 120, 130, 140}; }

// Keeps a limit for a scope.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) : before_(set_memory_limit(bytes)) {}
  ~MemoryLimit() { set_memory_limit(before_); }

 private:
  size_t before_;
};

TEST(Memory, ARefusalAtAnyRequestLeavesEverythingWhole) {
  memory::Pool& pool = *evaluation::default_pool();
  const lm::Model model = golden::load_float32(tiny_path());
  const Tokens expected = lm::generate(model, prompt(), golden::greedy(4)).tokens;
  const size_t active = get_active_memory();
  uint64_t denied = 0;
  for (uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 10000u) << "no run came through";
    pool.deny_nth_acquire(nth);
    bool refused = false;
    try {
      lm::generate(model, prompt(), golden::greedy(4));
    } catch (const OutOfMemory&) {
      refused = true;
    }
    pool.deny_nth_acquire(0);
    ASSERT_TRUE(pool.is_valid()) << "request " << nth;
    ASSERT_EQ(get_active_memory(), active) << "request " << nth;
    ASSERT_EQ(lm::generate(model, prompt(), golden::greedy(4)).tokens, expected) << "request " << nth;
    if (!refused) break;
    ++denied;
  }
  EXPECT_GT(denied, 10u);
}

TEST(Memory, ARefusalWhileLoadingLeavesNothingBehind) {
  memory::Pool& pool = *evaluation::default_pool();
  const size_t active = get_active_memory();
  for (uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 10000u) << "no load came through";
    pool.deny_nth_acquire(nth);
    bool refused = false;
    try {
      lm::Model::load(tiny_path(), {.dtype = bfloat16});
    } catch (const OutOfMemory&) {
      refused = true;
    }
    pool.deny_nth_acquire(0);
    ASSERT_TRUE(pool.is_valid()) << "request " << nth;
    ASSERT_EQ(get_active_memory(), active) << "request " << nth;
    if (!refused) break;
  }
}

TEST(Memory, DecodingIsSteadyAfterSixteenSteps) {
  for (const bool greedy : {true, false}) {
    SCOPED_TRACE(greedy ? "argmax" : "sampled");
    const lm::Model model = golden::load_float32(tiny_path());
    lm::GenerateOptions options = golden::greedy(520);
    if (!greedy) options.sampling = {.top_k = 40, .temperature = 0.8, .seed = 5};
    std::optional<MemoryStats> steady;
    size_t step = 0;
    options.on_text = [&](std::string_view) {
      ++step;
      if (step < 16 || step > 516) return true;  // the last steps have none ahead of them
      const MemoryStats now = memory_stats();
      if (!steady) steady = now;
      EXPECT_EQ(now.driver_allocations, steady->driver_allocations) << "step " << step;
      EXPECT_EQ(now.active, steady->active) << "step " << step;
      EXPECT_EQ(now.live_buffers, steady->live_buffers) << "step " << step;
      EXPECT_EQ(now.graph_nodes, steady->graph_nodes) << "step " << step;
      return !testing::Test::HasFailure();
    };
    lm::generate(model, prompt(), options);
    EXPECT_EQ(step, 520u);
  }
}

// Peak of loading and a short generation, from a clean start.
size_t peak_of_a_run() {
  clear_cache();
  reset_peak_memory();
  const lm::Model model = golden::load_float32(tiny_path());
  lm::generate(model, prompt(), golden::greedy(16));
  return get_peak_memory();
}

TEST(Memory, ThePeakRepeatsToTheByteAndTheLimitHolds) {
  const size_t peak = peak_of_a_run();
  EXPECT_EQ(peak_of_a_run(), peak);
  {
    // Unused slots between small live arrays cannot give way: in a model so small they are more than two percent.
    const MemoryLimit enough(peak + peak / 50 + 128 * 1024);
    EXPECT_EQ(peak_of_a_run(), peak);
  }
  {
    const MemoryLimit short_of(peak - peak / 50);
    EXPECT_THROW(peak_of_a_run(), OutOfMemory);
  }
  EXPECT_EQ(peak_of_a_run(), peak);
}

TEST(Memory, AModelThatCannotFitIsRefusedAtOpen) {
  clear_cache();
  const MemoryLimit limit(get_active_memory() + 64 * 1024);
  try {
    golden::load_float32(tiny_path());
    FAIL() << "opened a file beyond the limit";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("llama-f32.gguf"));
  }
}

TEST(Memory, MixedQuantizedWeightsStayAsTheyAre) {  // case K03
  const size_t before = get_active_memory();
  const std::string path = golden::path("models/llama-mixed.gguf");
  const lm::Model model = lm::Model::load(path, {.dtype = bfloat16});
  EXPECT_LE(get_active_memory() - before, fs::file_size(path) * 11 / 10);
}

TEST(Memory, AnUnsupportedTypeIsRefusedByName) {  // case K03
  std::ostringstream whole;
  whole << std::ifstream(golden::path("models/llama-mixed.gguf"), std::ios::binary).rdbuf();
  std::string bytes = whole.str();
  const std::string name = "blk.1.attn_q.weight";
  const size_t dims = bytes.find(name) + name.size();
  ASSERT_EQ(bytes[dims], 2);
  bytes[dims + 4 + 2 * 8] = 17;  // IQ2_XS
  const fs::path path = fs::temp_directory_path() / "plimsoll_iq2_xs.gguf";
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    golden::load_float32(path.string());
    ADD_FAILURE() << "loaded a type that is not computed with";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(name), testing::HasSubstr("IQ2_XS")));
  }
  fs::remove(path);
}

}  // namespace
}  // namespace plimsoll
