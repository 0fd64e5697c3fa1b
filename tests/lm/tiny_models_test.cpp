// Every tiny model against the float64 reference: prompts to ids, logits, and greedy tokens.
#include "plimsoll/transforms.h"
#include "lm/golden.h"

namespace plimsoll {
namespace {

using golden::json;

// Weights and activations are float32, so a logit of magnitude 5 behind some thousand products is good to about 1e-5.
constexpr double kTolerance = 2e-4;

class TinyModel : public testing::TestWithParam<json> {
 protected:
  lm::Model load() const { return golden::load_float32(golden::path(GetParam()["model"])); }
  std::vector<text::TokenId> prompt() const { return GetParam()["prompt"]; }
};

TEST_P(TinyModel, EncodesThePrompt) {
  const std::string text = GetParam()["text"];
  EXPECT_EQ(load().tokenizer().encode(text, {.add_special = false, .parse_special = true}), prompt());
}

TEST_P(TinyModel, GivesTheLogitsOfTheReference) {
  const auto expected = golden::load_npy<float>(GetParam()["logits"]);
  array logits = load().logits(prompt());
  logits.eval();
  ASSERT_GE(logits.size(), expected.size());
  golden::expect_near(logits.data<float>() + (logits.size() - expected.size()), expected, kTolerance);
}

TEST_P(TinyModel, ChoosesTheTokensOfTheReference) {
  const std::vector<text::TokenId> expected = GetParam()["tokens"];
  const lm::Model model = load();
  const auto result = lm::generate(model, prompt(), golden::greedy(static_cast<int>(expected.size())));
  EXPECT_EQ(result.tokens, expected);
  EXPECT_EQ(result.stop_reason, lm::StopReason::kLength);
}

TEST_P(TinyModel, ChoosesThemWhateverTheChunksOfThePrompt) {
  const std::vector<text::TokenId> expected = GetParam()["tokens"];
  const lm::Model model = load();
  for (const int chunk : {1, 7, 16}) {
    lm::GenerateOptions options = golden::greedy(static_cast<int>(expected.size()));
    options.prefill.chunk = chunk;
    EXPECT_EQ(lm::generate(model, prompt(), options).tokens, expected) << "chunks of " << chunk;
  }
}

std::vector<json> all_cases() { return golden::load_json("lm/golden.json")["cases"]; }

std::string case_name(const testing::TestParamInfo<json>& info) {
  std::string name = info.param["name"];
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Golden, TinyModel, testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace plimsoll
