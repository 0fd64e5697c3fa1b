// What the tests of this room share: the golden tokenizers, from their tokenizer.json and as a GGUF file holds them.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "plimsoll/text/tokenizer.h"
#include "base/file.h"
#include "base/json.h"

namespace plimsoll::text {

inline std::filesystem::path golden_folder() { return PLIMSOLL_TOKENIZER_GOLDEN; }

inline Tokenizer golden_tokenizer(const std::string& name) {
  const std::string path = (golden_folder() / (name + ".json")).string();
  return Tokenizer(spec_from_tokenizer_json(base::read_file(path, 1 << 24), path));
}

// Owns what GgufTokenizerValues refers to.
struct GgufTables {
  std::vector<std::string> tokens;
  std::vector<int64_t> types;
  std::vector<float> scores;
  std::vector<std::string> merges;

  GgufTokenizerValues values(const std::string& model, const std::string& pre) const {
    GgufTokenizerValues result;
    result.path = "test.gguf";
    result.model = model;
    result.pre = pre;
    result.tokens = {tokens.size(), [this](size_t i) -> std::string_view { return tokens[i]; }};
    result.token_types = [this](size_t i) { return types[i]; };
    result.token_type_count = types.size();
    if (!scores.empty()) result.scores = [this](size_t i) { return scores[i]; };
    result.score_count = scores.size();
    result.merges = {merges.size(), [this](size_t i) -> std::string_view { return merges[i]; }};
    return result;
  }
};

// A byte-level tokenizer.json in the form that GGUF gives it.
inline GgufTables gguf_tables_of_json(const std::string& name) {
  const auto document = base::load_json((golden_folder() / (name + ".json")).string());
  const base::JsonValue model = document.root().at("model");
  const base::JsonValue vocabulary = model.at("vocab");
  const base::JsonValue added = document.root().at("added_tokens");
  GgufTables tables;
  const auto put = [&](std::string_view text, int64_t id, int64_t type) {
    const auto at = static_cast<size_t>(id);
    if (at >= tables.tokens.size()) tables.tokens.resize(at + 1);
    tables.types.resize(tables.tokens.size(), 1);
    tables.tokens[at] = text;
    tables.types[at] = type;
  };
  for (size_t i = 0; i < vocabulary.size(); ++i)
    put(vocabulary.member(i).key, vocabulary.member(i).value.to_int("id"), 1);
  for (size_t i = 0; i < added.size(); ++i) {
    const base::JsonValue token = added.element(i);
    put(token.get_string("content"), token.get_int("id"), token.get_bool("special") ? 3 : 4);
  }
  const base::JsonValue merges = model.at("merges");
  for (size_t i = 0; i < merges.size(); ++i) {
    const base::JsonValue rule = merges.element(i);
    tables.merges.push_back(std::string(rule.element(0).to_string("left")) + " " +
                            std::string(rule.element(1).to_string("right")));
  }
  return tables;
}

inline GgufTables gguf_tables_of_sentence_piece() {
  const auto document = base::load_json((golden_folder() / "sentencepiece_gguf.json").string());
  const base::JsonValue root = document.root();
  GgufTables tables;
  for (size_t i = 0; i < root.at("tokens").size(); ++i) {
    tables.tokens.emplace_back(root.at("tokens").element(i).to_string("tokens"));
    tables.scores.push_back(static_cast<float>(root.at("scores").element(i).to_double("scores")));
    tables.types.push_back(root.at("types").element(i).to_int("types"));
  }
  return tables;
}

}  // namespace plimsoll::text
