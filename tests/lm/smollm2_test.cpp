// SmolLM2-135M-Instruct against the float64 reference on its dequantized weights.
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "lm/golden.h"

namespace plimsoll {
namespace {

using golden::json;

class SmolLM2 : public testing::Test {
 protected:
  void SetUp() override { PLIMSOLL_SKIP_WITHOUT_SMOLLM2(); }
  static const json& data() {
    static const json loaded = golden::load_json("lm/smollm2.json");
    return loaded;
  }
};

TEST_F(SmolLM2, ChoosesTheTokensOfTheReference) {
  const lm::Model model = golden::load_float32(*golden::smollm2());
  for (const json& c : data()["cases"]) {
    const std::vector<text::TokenId> prompt = c["prompt"];
    const std::vector<text::TokenId> expected = c["tokens"];
    const auto result = lm::generate(model, prompt, golden::greedy(static_cast<int>(expected.size())));
    EXPECT_EQ(result.tokens, expected) << c["name"] << ", smallest margin " << c["smallest_margin"];
    EXPECT_EQ(model.tokenizer().decode(expected, {.skip_special = false}), c["generated_text"]) << c["name"];
  }
}

TEST_F(SmolLM2, EncodesThePrompts) {
  const lm::Model model = golden::load_float32(*golden::smollm2());
  for (const json& c : data()["cases"]) {
    const std::vector<text::TokenId> expected = c["prompt"];
    const std::string text = c["text"];
    EXPECT_EQ(model.tokenizer().encode(text, {.add_special = false, .parse_special = true}), expected) << c["name"];
  }
}

TEST_F(SmolLM2, GivesTheLogitsOfTheReference) {
  const json& expected = data()["logits"];
  const lm::Model model = golden::load_float32(*golden::smollm2());
  const std::vector<text::TokenId> prompt = expected["prompt"];
  const auto columns = golden::load_npy<int32_t>(expected["columns"]);
  const array logits = model.logits(prompt);
  array sampled = contiguous(take(logits, array(columns.begin(), {static_cast<int>(columns.size())}, int32), 1));
  array last = contiguous(slice(logits, {logits.shape(0) - 1, 0}, logits.shape()));
  eval(sampled, last);
  golden::expect_near(sampled.data<float>(), golden::load_npy<float>(expected["sampled"]), 2e-3);
  golden::expect_near(last.data<float>(), golden::load_npy<float>(expected["last_row"]), 2e-3);
}

TEST_F(SmolLM2, PredictsATextAsTheReferenceDoes) {
  const json& expected = data()["perplexity"];
  const std::vector<text::TokenId> ids = expected["ids"];
  const double reference = expected["perplexity"];
  const auto in_float32 = lm::perplexity(golden::load_float32(*golden::smollm2()), ids);
  EXPECT_EQ(in_float32.predicted_tokens, ids.size() - 1);
  EXPECT_NEAR(in_float32.perplexity, reference, 1e-3 * reference);
  const auto in_bfloat16 = lm::perplexity(lm::Model::load(*golden::smollm2(), {.dtype = bfloat16}), ids);
  EXPECT_NEAR(in_bfloat16.perplexity, in_float32.perplexity, 0.01 * in_float32.perplexity);
}

}  // namespace
}  // namespace plimsoll
