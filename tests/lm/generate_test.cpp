// Generation: what ends it, what is shown, and what conversations reuse (case K17).
#include <algorithm>

#include "plimsoll/memory.h"
#include "lm/golden.h"

namespace plimsoll {
namespace {

using Tokens = std::vector<text::TokenId>;

const lm::Model& model() {
  static const lm::Model loaded = golden::load_float32(golden::path("models/llama-f32.gguf"));
  return loaded;
}

Tokens prompt() { return model().tokenizer().encode("The harbour wakes before the town does."); }

std::string one_shot(const Tokens& tokens) { return model().tokenizer().decode(tokens); }

TEST(Generate, StreamsExactlyTheText) {
  lm::GenerateOptions options = golden::greedy(40);
  std::string streamed;
  options.on_text = [&](std::string_view text) {
    streamed += text;
    return true;
  };
  const auto result = lm::generate(model(), prompt(), options);
  EXPECT_EQ(streamed, result.text);
  EXPECT_EQ(streamed, one_shot(result.tokens));
  EXPECT_EQ(result.tokens.size(), 40u);
  EXPECT_EQ(result.prompt_tokens, prompt().size());
  EXPECT_GT(result.prefill_tokens_per_second(), 0.0);
  EXPECT_GT(result.decode_tokens_per_second(), 0.0);
}

TEST(Generate, AStopStringNeverShows) {
  const auto whole = lm::generate(model(), prompt(), golden::greedy(60));
  // A stop string that spans several tokens, taken from the middle of what the model says.
  const size_t middle = whole.text.size() / 2;
  const std::string stop = whole.text.substr(middle, 6);
  lm::GenerateOptions options = golden::greedy(60);
  options.stop = {"never to be seen", stop};
  std::string streamed;
  options.on_text = [&](std::string_view text) {
    streamed += text;
    return true;
  };
  const auto result = lm::generate(model(), prompt(), options);
  EXPECT_EQ(result.stop_reason, lm::StopReason::kStopString);
  EXPECT_EQ(result.text, whole.text.substr(0, whole.text.find(stop)));
  EXPECT_EQ(streamed, result.text);
}

TEST(Generate, StopsWhenTheCallerSaysSo) {
  lm::GenerateOptions options = golden::greedy(60);
  int calls = 0;
  options.on_text = [&](std::string_view) { return ++calls < 5; };
  const auto result = lm::generate(model(), prompt(), options);
  EXPECT_EQ(result.stop_reason, lm::StopReason::kCaller);
  EXPECT_EQ(result.tokens.size(), 5u);
}

TEST(Generate, StopsInsideALongPrompt) {
  lm::GenerateOptions options = golden::greedy(5);
  options.prefill = {.chunk = 4, .progress = [](size_t done, size_t) { return done < 8; }};
  const auto result = lm::generate(model(), prompt(), options);
  EXPECT_EQ(result.stop_reason, lm::StopReason::kCaller);
  EXPECT_TRUE(result.tokens.empty());
}

TEST(Generate, TheCapOfTheCacheEndsIt) {
  lm::GenerateOptions options = golden::greedy(100);
  options.cache.max_rows = static_cast<int>(prompt().size()) + 10;
  const auto result = lm::generate(model(), prompt(), options);
  EXPECT_EQ(result.stop_reason, lm::StopReason::kCacheFull);
  EXPECT_EQ(result.tokens.size(), 11u);  // the last one need not be fed
  const auto free = lm::generate(model(), prompt(), golden::greedy(11));
  EXPECT_EQ(result.tokens, free.tokens);
}

TEST(Generate, RefusesAPromptBeyondTheCap) {
  lm::GenerateOptions options = golden::greedy(4);
  options.cache.max_rows = 5;
  EXPECT_THROW(lm::generate(model(), prompt(), options), std::length_error);
}

TEST(Generate, AGrowingCacheGivesTheSameTokens) {
  const auto reserved = lm::generate(model(), prompt(), golden::greedy(300));
  lm::GenerateOptions options = golden::greedy(0);  // of unknown length: rows come as they are needed
  options.on_text = [left = 300](std::string_view) mutable { return --left > 0; };
  const auto grown = lm::generate(model(), prompt(), options);
  EXPECT_EQ(grown.tokens, reserved.tokens);
}

TEST(Generate, RefusesWhatIsNoPrompt) {
  EXPECT_THROW(lm::generate(model(), {}, golden::greedy(4)), std::invalid_argument);
  EXPECT_THROW(lm::generate(model(), Tokens{1, 320}, golden::greedy(4)), std::out_of_range);
  EXPECT_THROW(lm::generate(model(), Tokens{-1}, golden::greedy(4)), std::out_of_range);
}

TEST(Generate, TopKOfOneIsGreedyThroughTheHostSampler) {
  lm::GenerateOptions options = golden::greedy(24);
  options.sampling = {.top_k = 1, .temperature = 0.7, .seed = 3};
  EXPECT_EQ(lm::generate(model(), prompt(), options).tokens,
            lm::generate(model(), prompt(), golden::greedy(24)).tokens);
}

TEST(Generate, ASeedGivesTheSameTextAgain) {
  lm::GenerateOptions options = golden::greedy(24);
  options.sampling = {.temperature = 1.0, .seed = 11};
  const auto first = lm::generate(model(), prompt(), options).tokens;
  EXPECT_EQ(lm::generate(model(), prompt(), options).tokens, first);
  options.sampling.seed = 12;
  EXPECT_NE(lm::generate(model(), prompt(), options).tokens, first);
}

TEST(Session, ContinuesAsFromCold) {
  lm::Session session(model());
  Tokens conversation = prompt();
  for (int turn = 0; turn < 3; ++turn) {
    const auto warm = session.generate(conversation, golden::greedy(12));
    const auto cold = lm::generate(model(), conversation, golden::greedy(12));
    EXPECT_EQ(warm.tokens, cold.tokens) << "turn " << turn;
    const size_t known = turn > 0 ? conversation.size() - 8 : 0;
    EXPECT_GE(warm.reused_tokens, known) << "turn " << turn;
    conversation.insert(conversation.end(), warm.tokens.begin(), warm.tokens.end());
    const Tokens more = model().tokenizer().encode(" And then?", {.add_special = false});
    conversation.insert(conversation.end(), more.begin(), more.end());
  }
}

TEST(Session, TheCachedPromptItselfWorks) {
  lm::Session session(model());
  const auto first = session.generate(prompt(), golden::greedy(8));
  const auto again = session.generate(prompt(), golden::greedy(8));
  EXPECT_EQ(again.tokens, first.tokens);
  EXPECT_EQ(again.reused_tokens, prompt().size() - 1);
}

TEST(Session, ASecondTurnSharingFourTokensDropsTheRest) {
  lm::Session session(model());
  session.generate(prompt(), golden::greedy(8));
  Tokens other = prompt();
  other.resize(4);
  for (const text::TokenId id : {40, 41, 42}) other.push_back(id);
  const auto warm = session.generate(other, golden::greedy(16));
  EXPECT_EQ(warm.reused_tokens, 4u);
  EXPECT_EQ(warm.tokens, lm::generate(model(), other, golden::greedy(16)).tokens);
}

TEST(Session, AnAbortedTurnLeavesAWholeCache) {
  lm::Session session(model());
  lm::GenerateOptions aborted = golden::greedy(50);
  int calls = 0;
  aborted.on_text = [&](std::string_view) { return ++calls < 3; };
  session.generate(prompt(), aborted);
  EXPECT_LE(session.cached_tokens().size(), prompt().size() + 3);
  EXPECT_EQ(session.generate(prompt(), golden::greedy(8)).tokens,
            lm::generate(model(), prompt(), golden::greedy(8)).tokens);
}

TEST(Session, ItsMemoryGoesWithIt) {
  lm::generate(model(), prompt(), golden::greedy(4));
  const size_t before = get_active_memory();
  {
    lm::Session session(model());
    session.generate(prompt(), golden::greedy(8));
    EXPECT_GT(get_active_memory(), before);
    session.clear();
    EXPECT_EQ(get_active_memory(), before);
    session.generate(prompt(), golden::greedy(8));
  }
  EXPECT_EQ(get_active_memory(), before);
}

}  // namespace
}  // namespace plimsoll
