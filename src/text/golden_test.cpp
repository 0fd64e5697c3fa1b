// Ids equal to the Hugging Face `tokenizers` package's (for GGUF's score form: to the `sentencepiece` package's) on
// every text of the golden set.
#include <gtest/gtest.h>

#include <set>

#include "golden/tokenizer/golden_set.h"
#include "text/test_support.h"

namespace plimsoll::text {
namespace {

void expect_golden(const Tokenizer& tokenizer, const std::string& name) {
  golden::expect_reference(tokenizer, golden::load_texts(golden_folder()), golden::load_ids(golden_folder(), name));
}

TEST(TokenizerGolden, SetIsLargeAndHoldsTextThatIsNotUtf8) {
  const auto texts = golden::load_texts(golden_folder());
  EXPECT_GE(std::set<std::string>(texts.begin(), texts.end()).size(), 500u);
  EXPECT_TRUE(std::find(texts.begin(), texts.end(), "\xED\xA0\x80") != texts.end());
}

TEST(TokenizerGolden, Llama3FromJson) { expect_golden(golden_tokenizer("llama3"), "llama3"); }

TEST(TokenizerGolden, Llama3FromGguf) {
  const auto tables = gguf_tables_of_json("llama3");
  expect_golden(Tokenizer(spec_from_gguf_values(tables.values("gpt2", "llama-bpe"))), "llama3");
}

TEST(TokenizerGolden, Qwen2FromJson) { expect_golden(golden_tokenizer("qwen2"), "qwen2"); }

TEST(TokenizerGolden, Qwen2FromGguf) {
  const auto tables = gguf_tables_of_json("qwen2");
  expect_golden(Tokenizer(spec_from_gguf_values(tables.values("gpt2", "qwen2"))), "qwen2");
}

TEST(TokenizerGolden, StepsAndFlagsThatFewModelsUse) { expect_golden(golden_tokenizer("mixed"), "mixed"); }

TEST(TokenizerGolden, SentencePieceFromJson) { expect_golden(golden_tokenizer("sentencepiece"), "sentencepiece"); }

TEST(TokenizerGolden, MetaspaceFromJson) { expect_golden(golden_tokenizer("metaspace"), "metaspace"); }

TEST(TokenizerGolden, SentencePieceFromGguf) {
  const auto tables = gguf_tables_of_sentence_piece();
  const Tokenizer tokenizer(spec_from_gguf_values(tables.values("llama", "default")));
  const auto texts = golden::load_texts(golden_folder());
  const auto reference = golden::load_ids(golden_folder(), "sentencepiece_gguf");
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(tokenizer.encode(texts[i], {.add_special = false}), reference.plain[i])
        << i << " " << testing::PrintToString(texts[i]);
  }
}

}  // namespace
}  // namespace plimsoll::text
