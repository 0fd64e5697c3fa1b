// Malformed and lying tokenizer.json files: each is refused by file and field.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plimsoll/errors.h"
#include "plimsoll/text/tokenizer.h"
#include "plimsoll/text/tokenizer_config.h"

#include "text/test_support.h"

namespace plimsoll::text {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSound = R"({
  "added_tokens": [{"id": 5, "content": "<s>", "special": true}],
  "normalizer": null,
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
  "post_processor": null,
  "decoder": {"type": "ByteLevel"},
  "model": {"type": "BPE", "unk_token": null, "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "c": 4}, "merges": ["a b"]}
})";

std::string refusal_of(const std::string& json) {
  try {
    Tokenizer tokenizer(spec_from_tokenizer_json(json, "dir/tokenizer.json"));
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

std::string sound_with(std::string_view old_part, std::string_view new_part) {
  std::string json(kSound);
  const size_t at = json.find(old_part);
  EXPECT_NE(at, std::string::npos) << old_part;
  return json.replace(at, old_part.size(), new_part);
}

TEST(TokenizerJson, ASoundFileLoads) {
  const Tokenizer tokenizer(spec_from_tokenizer_json(kSound, "t"));
  EXPECT_EQ(tokenizer.encode("ab c<s>", {.parse_special = true}), (std::vector<TokenId>{2, 3, 4, 5}));
  EXPECT_EQ(tokenizer.vocabulary_size(), 6u);
}

TEST(TokenizerJson, FaultsAreRefusedByFileAndField) {
  struct Fault {
    std::string_view old_part;
    std::string_view new_part;
    std::string_view says;
  };
  const std::vector<Fault> faults{
      {R"("model")", R"("modell")", "model"},
      {R"("vocab": {)", R"("vocabulary": {)", "vocab"},
      {R"("merges")", R"("mergers")", "merges"},
      {R"("type": "BPE")", R"("type": "Unigram")", "'Unigram' is not supported"},
      {R"("type": "BPE")", R"("type": "WordPiece")", "'WordPiece' is not supported"},
      {R"("a b")", R"("a x")", "merges[0]"},
      {R"("a b")", R"("ab")", "model.merges"},
      {R"("a b")", R"("b a")", "merges[0]"},
      {R"("a b")", R"(7)", "model.merges"},
      {R"(["a b"])", R"([["a", "b", "c"]])", "model.merges"},
      {R"("b": 1)", R"("b": 0)", "share the id 0"},
      {R"("b": 1)", R"("a": 1)", "duplicate key"},
      {R"("b": 1)", R"("b": -1)", "model.vocab"},
      {R"("b": 1)", R"("b": 4000000000)", "out of range"},
      {R"("b": 1)", R"("b": 1e99)", "model.vocab"},
      {R"("b": 1)", R"("b": "1")", "model.vocab"},
      {R"("id": 5)", R"("id": 99999999)", "out of range"},
      {R"("id": 5)", R"("id": 1)", "share the id 1"},
      {R"("id": 5, )", "", "id"},
      {R"("content": "<s>")", R"("content": "")", "added_tokens.content"},
      {R"("unk_token": null)", R"("unk_token": "<unk>")", "model.unk_token"},
      {R"("unk_token": null)", R"("end_of_word_suffix": "</w>")", "end_of_word_suffix"},
      {R"("unk_token": null)", R"("dropout": 0.5)", "dropout"},
      {R"("normalizer": null)", R"("normalizer": {"type": "Precompiled"})", "'Precompiled' is not supported"},
      {R"("normalizer": null)", R"("normalizer": {"type": "Replace", "pattern": {"Regex": "("}, "content": ""})",
       "normalizer"},
      {R"("normalizer": null)", R"("normalizer": {"type": "Replace", "pattern": {}, "content": ""})", "pattern"},
      {R"("normalizer": null)", R"("normalizer": [])", "normalizer"},
      {R"({"type": "ByteLevel", "add)", R"({"type": "BertPreTokenizer", "add)", "'BertPreTokenizer' is not supported"},
      {R"({"type": "ByteLevel"})", R"({"type": "WordPiece"})", "'WordPiece' is not supported"},
      {R"("post_processor": null)",
       R"("post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}], "special_tokens": {}})",
       "special_tokens"},
      {R"("post_processor": null)",
       R"("post_processor": {"type": "RobertaProcessing", "cls": ["x", 77], "sep": ["y", 1]})", "token id 77"},
      {R"("a": 0)", R"("\ud800": 0)", "JSON"},
  };
  for (const Fault& fault : faults) {
    const std::string refusal = refusal_of(sound_with(fault.old_part, fault.new_part));
    EXPECT_THAT(refusal, HasSubstr("[dir/tokenizer.json]")) << fault.new_part;
    EXPECT_THAT(refusal, HasSubstr(std::string(fault.says))) << fault.new_part;
  }
}

TEST(TokenizerJson, CutAnywhereItIsRefused) {
  for (size_t size = 0; size < kSound.size() - 1; ++size) {
    EXPECT_NE(refusal_of(std::string(kSound.substr(0, size))), "accepted") << size;
  }
}

TEST(TokenizerJson, DeepNestingIsRefused) {
  std::string nested = R"({"type":"NFC"})";
  for (int depth = 0; depth < 10000; ++depth) nested = R"({"type":"Sequence","normalizers":[)" + nested + "]}";
  EXPECT_THAT(refusal_of(sound_with(R"("normalizer": null)", R"("normalizer": )" + nested)), HasSubstr("nested"));
}

TEST(TokenizerConfig, NamesBeginAndEnd) {
  const auto config = tokenizer_config_from_json(
      R"({"bos_token": null, "eos_token": {"content": "<s>"}, "chat_template": [{"name": "default", "template": "t"}]})",
      "tokenizer_config.json");
  EXPECT_FALSE(config.bos_token);
  EXPECT_EQ(config.chat_template, "t");
  auto spec = spec_from_tokenizer_json(kSound, "t");
  apply_tokenizer_config(config, spec);
  EXPECT_EQ(spec.eos, 5);
  EXPECT_EQ(spec.end_ids, (std::vector<TokenId>{5}));
}

TEST(TokenizerConfig, ANameThatIsNoTokenIsRefused) {
  auto spec = spec_from_tokenizer_json(kSound, "t");
  EXPECT_THROW(apply_tokenizer_config({.bos_token = "<bos>", .eos_token = {}, .chat_template = {}}, spec), FileError);
  EXPECT_THROW(tokenizer_config_from_json(R"({"bos_token": 1})", "c"), FileError);
  EXPECT_THROW(tokenizer_config_from_json("[]", "c"), FileError);
}

std::string gguf_refusal(const std::function<void(GgufTables&)>& change_tables,
                         const std::function<void(GgufTokenizerValues&)>& change_values) {
  GgufTables tables;
  tables.tokens = {"a", "b", "ab", "<s>"};
  tables.types = {1, 1, 1, 3};
  tables.merges = {"a b"};
  change_tables(tables);
  GgufTokenizerValues values = tables.values("gpt2", "gpt-2");
  change_values(values);
  try {
    Tokenizer tokenizer(spec_from_gguf_values(values));
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(GgufTokenizer, FaultsAreRefusedByFileAndKey) {
  const auto same_tables = [](GgufTables&) {};
  const auto same_values = [](GgufTokenizerValues&) {};
  using Values = GgufTokenizerValues;
  EXPECT_EQ(gguf_refusal(same_tables, same_values), "accepted");
  const std::vector<std::pair<std::string, std::string>> refusals{
      {gguf_refusal(same_tables, [](Values& v) { v.model = "t5"; }), "tokenizer.ggml.model: tokenizer 't5'"},
      {gguf_refusal(same_tables, [](Values& v) { v.pre = "deepseek-llm"; }),
       "tokenizer.ggml.pre: pre-tokenizer 'deepseek-llm'"},
      {gguf_refusal(same_tables, [](Values& v) { v.pre = ""; }), "tokenizer.ggml.pre: it is missing"},
      {gguf_refusal(same_tables, [](Values& v) { v.tokens.count = 0; }), "tokenizer.ggml.tokens"},
      {gguf_refusal(same_tables, [](Values& v) { v.token_type_count = 3; }),
       "tokenizer.ggml.token_type: 3 entries for 4"},
      {gguf_refusal(same_tables, [](Values& v) { v.model = "llama"; }), "tokenizer.ggml.scores"},
      {gguf_refusal(same_tables, [](Values& v) { v.merges = {}; }), "tokenizer.ggml.merges"},
      {gguf_refusal(same_tables, [](Values& v) { v.eos_token_id = 4; }), "tokenizer.ggml.eos_token_id: 4 is outside"},
      {gguf_refusal(same_tables, [](Values& v) { v.bos_token_id = -1; }), "tokenizer.ggml.bos_token_id: -1 is outside"},
      {gguf_refusal(same_tables, [](Values& v) { v.add_bos_token = true; }),
       "tokenizer.ggml.bos_token_id: it is missing"},
      {gguf_refusal([](GgufTables& t) { t.types[0] = 9; }, same_values), "tokenizer.ggml.token_type: entry 0"},
      {gguf_refusal([](GgufTables& t) { t.merges = {"a z"}; }, same_values), "merges[0]: 'a' and 'z'"},
      {gguf_refusal([](GgufTables& t) { t.merges = {"ab"}; }, same_values), "merges[0]"},
      {gguf_refusal([](GgufTables& t) { t.merges = {""}; }, same_values), "merges[0]"},
  };
  for (const auto& [refusal, says] : refusals) {
    EXPECT_THAT(refusal, HasSubstr("[test.gguf]")) << says;
    EXPECT_THAT(refusal, HasSubstr(says));
  }
}

TEST(GgufTokenizer, TextNeverBecomesAControlTokenThroughMerges) {
  GgufTables tables;
  tables.tokens = {"<", "|", ">", "|>", "<|>"};
  tables.types = {1, 1, 1, 1, 3};
  tables.merges = {"| >", "< |>"};
  const Tokenizer tokenizer(spec_from_gguf_values(tables.values("gpt2", "llama-bpe")));
  EXPECT_EQ(tokenizer.encode("<|>"), (std::vector<TokenId>{0, 3}));
  EXPECT_EQ(tokenizer.encode("<|>", {.parse_special = true}), (std::vector<TokenId>{4}));
}

}  // namespace
}  // namespace plimsoll::text
