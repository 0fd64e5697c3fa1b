// Hugging Face's tokenizer.json.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "plimsoll/errors.h"
#include "plimsoll/text/tokenizer_spec.h"
#include "base/checked.h"
#include "base/json.h"
#include "base/quote.h"
#include "text/end_tokens.h"
#include "text/json_steps.h"

namespace plimsoll::text {

namespace {

using base::JsonValue;

// Ids may leave holes, but a table by id must not be much larger than the file that asks for it.
constexpr size_t kSpareIds = 1024;

// What the accessors of the spec refer to.
struct Tables {
  explicit Tables(base::JsonDocument parsed) : document(std::move(parsed)) {}

  base::JsonDocument document;
  std::vector<std::string_view> tokens;  // by id, empty where none has it
  std::vector<TokenType> types;
};

class SpecReader {
 public:
  SpecReader(std::string_view json, const std::string& path)
      : tables_(std::make_shared<Tables>(base::parse_json(json, path))), root_(tables_->document.root()) {
    spec_.source = path;
  }

  TokenizerSpec run() {
    root_.to_object("tokenizer");
    const JsonValue model = root_.at("model").to_object("model");
    check_model(model);
    read_optional("normalizer", read_normalizer);
    read_optional("pre_tokenizer", read_pre_tokenizer);
    read_optional("post_processor", read_post_processor);
    spec_.kind = is_byte_level() ? ModelKind::kByteLevelBpe : ModelKind::kSentencePieceBpe;
    read_optional("decoder", read_decoder);
    read_vocabulary(model.at("vocab").to_object("model.vocab"));
    read_flags(model);
    read_added_tokens();
    read_unknown(model);
    read_merges(model.at("merges").to_array("model.merges"));
    finish();
    return std::move(spec_);
  }

 private:
  void check_model(const JsonValue& model) const {
    const std::string_view type = model.get_string("type", "BPE");
    if (type != "BPE") model.fail("model.type", fmt::format("{} is not supported (known: BPE)", base::quote(type)));
    for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!model.get_string(key, "").empty()) model.fail(fmt::format("model.{}", key), "it is not supported");
    }
    if (model.get_double("dropout", 0) != 0) model.fail("model.dropout", "it is not supported");
  }

  void read_optional(std::string_view key, void (*read)(const JsonValue&, TokenizerSpec&)) {
    const auto part = root_.find(key);
    if (part && !part->is_null()) read(part->to_object(key), spec_);
  }

  bool is_byte_level() const {
    const auto& steps = spec_.pre_tokenizers;
    return !steps.empty() && std::holds_alternative<ByteLevelStep>(steps.back());
  }

  // The place of an id in the tables, made if need be.
  size_t place_of(const JsonValue& value, std::string_view field) {
    const auto added = root_.find("added_tokens");
    const size_t entries = root_.at("model").at("vocab").size() + (added ? added->size() : 0);
    const uint64_t id = value.to_uint(field);
    if (id >= 2 * entries + kSpareIds) {
      value.fail(field, fmt::format("id {} is out of range for {} tokens", id, entries));
    }
    if (id >= tables_->tokens.size()) {
      tables_->tokens.resize(id + 1);
      tables_->types.resize(id + 1, TokenType::kNormal);
    }
    return id;
  }

  void read_vocabulary(const JsonValue& vocabulary) {
    if (vocabulary.size() == 0) vocabulary.fail("model.vocab", "it has no tokens");
    for (size_t i = 0; i < vocabulary.size(); ++i) {
      const auto [token, value] = vocabulary.member(i);
      if (token.empty()) continue;  // stands for no text
      const size_t id = place_of(value, "model.vocab");
      if (!tables_->tokens[id].empty()) {
        value.fail("model.vocab",
                   fmt::format("{} and {} share the id {}", base::quote(tables_->tokens[id]), base::quote(token), id));
      }
      tables_->tokens[id] = token;
    }
  }

  void read_flags(const JsonValue& model) {
    spec_.ignore_merges = model.get_bool("ignore_merges", false);
    spec_.fuse_unknown = model.get_bool("fuse_unk", false);
    spec_.byte_fallback = model.get_bool("byte_fallback", false);
    if (!spec_.byte_fallback || spec_.kind == ModelKind::kByteLevelBpe) return;
    for (size_t id = 0; id < tables_->tokens.size(); ++id) {
      const std::string_view token = tables_->tokens[id];
      if (token.size() == 6 && token.starts_with("<0x")) tables_->types[id] = TokenType::kByte;
    }
  }

  void read_added_tokens() {
    const auto list = root_.find("added_tokens");
    if (!list || list->is_null()) return;
    for (size_t i = 0; i < list->to_array("added_tokens").size(); ++i) read_added_token(list->element(i));
  }

  void read_added_token(const JsonValue& entry) {
    const std::string_view content = entry.get_string("content");
    if (content.empty()) entry.fail("added_tokens.content", "it is empty");
    const size_t id = place_of(entry.at("id"), "added_tokens.id");
    std::string_view& known = tables_->tokens[id];
    if (!known.empty() && known != content) {
      entry.fail("added_tokens.id",
                 fmt::format("{} and {} share the id {}", base::quote(known), base::quote(content), id));
    }
    known = content;
    AddedToken token;
    token.id = static_cast<TokenId>(id);
    token.content = content;
    token.special = entry.get_bool("special", false);
    token.single_word = entry.get_bool("single_word", false);
    token.lstrip = entry.get_bool("lstrip", false);
    token.rstrip = entry.get_bool("rstrip", false);
    token.normalized = entry.get_bool("normalized", !token.special);
    tables_->types[id] = token.special ? TokenType::kControl : TokenType::kUserDefined;
    if (token.special && is_end_token_name(content)) add_end_id(spec_.end_ids, token.id);
    spec_.added_tokens.push_back(std::move(token));
  }

  void read_unknown(const JsonValue& model) {
    const std::string_view name = model.get_string("unk_token", "");
    if (name.empty()) return;
    const auto at = std::find(tables_->tokens.begin(), tables_->tokens.end(), name);
    if (at == tables_->tokens.end()) {
      model.fail("model.unk_token", fmt::format("{} is not in the vocabulary", base::quote(name)));
    }
    spec_.unknown = static_cast<TokenId>(at - tables_->tokens.begin());
  }

  // A rule is "left right" or, in newer files, ["left", "right"].
  void read_merges(const JsonValue& merges) {
    spec_.merges.count = merges.size();
    spec_.merges.at = [tables = tables_, merges](size_t index) {
      const JsonValue rule = merges.element(index);
      if (rule.is_array() && rule.size() == 2) {
        return std::pair(rule.element(0).to_string("model.merges"), rule.element(1).to_string("model.merges"));
      }
      const std::string_view text = rule.to_string("model.merges");
      const size_t space = text.find(' ');
      if (space == std::string_view::npos) rule.fail("model.merges", fmt::format("rule {} is not a pair", index));
      return std::pair(text.substr(0, space), text.substr(space + 1));
    };
  }

  void finish() {
    spec_.tokens.count = tables_->tokens.size();
    spec_.tokens.at = [tables = tables_](size_t id) { return tables->tokens[id]; };
    spec_.types = [tables = tables_](size_t id) { return tables->types[id]; };
    if (!spec_.prefix.empty()) spec_.bos = spec_.prefix.front();
    if (!spec_.suffix.empty()) spec_.eos = spec_.suffix.back();
    if (spec_.eos) add_end_id(spec_.end_ids, *spec_.eos);
  }

  std::shared_ptr<Tables> tables_;
  JsonValue root_;
  TokenizerSpec spec_;
};

}  // namespace

TokenizerSpec spec_from_tokenizer_json(std::string_view json, const std::string& path) {
  return SpecReader(json, path).run();
}

}  // namespace plimsoll::text
