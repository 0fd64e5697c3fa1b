// GGUF names a tokenizer's rules instead of stating them: "gpt2" with a `pre` is byte-level BPE with that model's
// pre-tokenizer, "llama" is SentencePiece's BPE by scores.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "plimsoll/errors.h"
#include "plimsoll/text/tokenizer_spec.h"
#include "base/checked.h"
#include "base/quote.h"
#include "text/end_tokens.h"
#include "text/patterns.h"

namespace plimsoll::text {

namespace {

constexpr std::string_view kSpaceMark = "\u2581";

std::vector<PreTokenizerStep> gpt2_steps() { return {ByteLevelStep{}}; }

std::vector<PreTokenizerStep> smollm_steps() { return {DigitsStep{.individual = true}, ByteLevelStep{}}; }

std::vector<PreTokenizerStep> llama3_steps() {
  return {SplitStep{.pattern = std::string(kLlama3Pattern)}, ByteLevelStep{.use_regex = false}};
}

std::vector<PreTokenizerStep> qwen2_steps() {
  return {SplitStep{.pattern = std::string(kQwen2Pattern)}, ByteLevelStep{.use_regex = false}};
}

struct PreTokenizerEntry {
  std::string_view name;
  std::vector<PreTokenizerStep> (*steps)();
  bool ignore_merges = false;
  bool nfc = false;
  bool adds_bos = false;  // where add_bos_token is absent
};

constexpr std::array kPreTokenizers = {
    PreTokenizerEntry{"gpt-2", gpt2_steps},
    PreTokenizerEntry{"gpt2", gpt2_steps},
    PreTokenizerEntry{"smollm", smollm_steps},
    PreTokenizerEntry{.name = "llama-bpe", .steps = llama3_steps, .ignore_merges = true, .adds_bos = true},
    PreTokenizerEntry{.name = "llama3", .steps = llama3_steps, .ignore_merges = true, .adds_bos = true},
    PreTokenizerEntry{.name = "llama-v3", .steps = llama3_steps, .ignore_merges = true, .adds_bos = true},
    PreTokenizerEntry{.name = "qwen2", .steps = qwen2_steps, .nfc = true},
};

[[noreturn]] void fail(const GgufTokenizerValues& values, std::string_view key, std::string_view what) {
  throw FileError(values.path, fmt::format("tokenizer.ggml.{}: {}", key, what));
}

const PreTokenizerEntry& pre_tokenizer(const GgufTokenizerValues& values) {
  std::string known;
  for (const PreTokenizerEntry& entry : kPreTokenizers) {
    if (entry.name == values.pre) return entry;
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  if (values.pre.empty()) fail(values, "pre", "it is missing, and a \"gpt2\" tokenizer cannot be run without it");
  fail(values, "pre", fmt::format("pre-tokenizer {} is not supported (known: {})", base::quote(values.pre), known));
}

std::optional<TokenId> checked_id(const GgufTokenizerValues& values, std::string_view key, std::optional<int64_t> id) {
  if (!id) return std::nullopt;
  if (*id < 0 || std::cmp_greater_equal(*id, values.tokens.count)) {
    fail(values, key, fmt::format("{} is outside the vocabulary of {} tokens", *id, values.tokens.count));
  }
  return static_cast<TokenId>(*id);
}

void check_counts(const GgufTokenizerValues& values) {
  const size_t count = values.tokens.count;
  if (count == 0) fail(values, "tokens", "it is missing or empty");
  if (values.token_types && values.token_type_count != count) {
    fail(values, "token_type", fmt::format("{} entries for {} tokens", values.token_type_count, count));
  }
  if (values.scores && values.score_count != count) {
    fail(values, "scores", fmt::format("{} entries for {} tokens", values.score_count, count));
  }
}

std::vector<TokenType> read_types(const GgufTokenizerValues& values) {
  std::vector<TokenType> types(values.tokens.count, TokenType::kNormal);
  if (!values.token_types) return types;
  for (size_t id = 0; id < types.size(); ++id) {
    const int64_t type = values.token_types(id);
    if (type < 0 || type > 6) fail(values, "token_type", fmt::format("entry {} has the unknown type {}", id, type));
    if (type != 0) types[id] = static_cast<TokenType>(type);
  }
  return types;
}

void take_added_tokens(const GgufTokenizerValues& values, const std::vector<TokenType>& types, TokenizerSpec& spec) {
  for (size_t id = 0; id < types.size(); ++id) {
    const bool special = types[id] == TokenType::kControl || types[id] == TokenType::kUnknown;
    if (!special && types[id] != TokenType::kUserDefined) continue;
    const auto token = static_cast<TokenId>(id);
    spec.added_tokens.push_back({.id = token, .content = std::string(values.tokens.at(id)), .special = special});
    if (special && is_end_token_name(values.tokens.at(id))) add_end_id(spec.end_ids, token);
    if (types[id] == TokenType::kUnknown && !spec.unknown) spec.unknown = token;
  }
}

void take_byte_level(const GgufTokenizerValues& values, TokenizerSpec& spec) {
  const PreTokenizerEntry& entry = pre_tokenizer(values);
  spec.kind = ModelKind::kByteLevelBpe;
  spec.pre_tokenizers = entry.steps();
  spec.ignore_merges = entry.ignore_merges;
  if (entry.nfc) spec.normalizers.emplace_back(UnicodeForm::kNfc);
  if (!values.merges.at) fail(values, "merges", "it is missing");
  spec.merges.count = values.merges.count;
  spec.merges.at = [at = values.merges.at](size_t index) {
    const std::string_view rule = at(index);
    const size_t space = rule.find(' ');
    if (space == std::string_view::npos) return std::pair(rule, std::string_view());
    return std::pair(rule.substr(0, space), rule.substr(space + 1));
  };
}

void take_sentence_piece(const GgufTokenizerValues& values, TokenizerSpec& spec) {
  if (!values.scores) fail(values, "scores", "it is missing, and a \"llama\" tokenizer cannot be run without it");
  if (!values.token_types)
    fail(values, "token_type", "it is missing, and a \"llama\" tokenizer cannot be run without it");
  spec.kind = ModelKind::kSentencePieceBpe;
  spec.scores = values.scores;
  spec.byte_fallback = true;
  spec.fuse_unknown = true;
  const bool add_space_prefix = values.add_space_prefix.value_or(true);
  if (add_space_prefix) spec.normalizers.emplace_back(PrependStep{std::string(kSpaceMark)});
  spec.normalizers.emplace_back(ReplaceStep{.pattern = " ", .content = std::string(kSpaceMark)});
  spec.strip_leading_space = add_space_prefix;
}

void take_special_ids(const GgufTokenizerValues& values, bool adds_bos, TokenizerSpec& spec) {
  spec.bos = checked_id(values, "bos_token_id", values.bos_token_id);
  spec.eos = checked_id(values, "eos_token_id", values.eos_token_id);
  const auto unknown = checked_id(values, "unknown_token_id", values.unknown_token_id);
  // A byte-level vocabulary has no unknown text; files name one only because their format has the field.
  if (unknown && spec.kind == ModelKind::kSentencePieceBpe) spec.unknown = unknown;
  if (spec.eos) add_end_id(spec.end_ids, *spec.eos);
  if (const auto eot = checked_id(values, "eot_token_id", values.eot_token_id)) add_end_id(spec.end_ids, *eot);
  if (values.add_bos_token.value_or(adds_bos)) {
    if (spec.bos) {
      spec.prefix.push_back(*spec.bos);
    } else if (values.add_bos_token) {
      fail(values, "bos_token_id", "it is missing, but add_bos_token is set");
    }
  }
  if (values.add_eos_token.value_or(false)) {
    if (!spec.eos) fail(values, "eos_token_id", "it is missing, but add_eos_token is set");
    spec.suffix.push_back(*spec.eos);
  }
}

}  // namespace

TokenizerSpec spec_from_gguf_values(const GgufTokenizerValues& values) {
  check_counts(values);
  TokenizerSpec spec;
  spec.source = values.path;
  spec.tokens = values.tokens;
  auto types = read_types(values);
  bool adds_bos = true;
  if (values.model == "gpt2") {
    take_byte_level(values, spec);
    adds_bos = pre_tokenizer(values).adds_bos;
  } else if (values.model == "llama") {
    take_sentence_piece(values, spec);
  } else {
    fail(values, "model", fmt::format("tokenizer {} is not supported (known: gpt2, llama)", base::quote(values.model)));
  }
  take_added_tokens(values, types, spec);
  take_special_ids(values, adds_bos, spec);
  spec.types = [types = std::move(types)](size_t id) { return types[id]; };
  return spec;
}

}  // namespace plimsoll::text
