#include "plimsoll/text/tokenizer_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/json.h"
#include "base/quote.h"
#include "text/end_tokens.h"

namespace plimsoll::text {

namespace {

// A token is written as its text, or as an object that holds it; one that is not used is null or missing.
std::optional<std::string> read_token(const base::JsonValue& root, std::string_view key) {
  const auto value = root.find(key);
  if (!value || value->is_null()) return std::nullopt;
  return std::string(value->is_object() ? value->get_string("content") : value->to_string(key));
}

// One template, or a list of them by name, of which "default" is the one for a plain conversation.
std::optional<std::string> read_template(const base::JsonValue& root) {
  const auto value = root.find("chat_template");
  if (!value || value->is_null()) return std::nullopt;
  if (!value->is_array()) return std::string(value->to_string("chat_template"));
  for (size_t i = 0; i < value->size(); ++i) {
    if (value->element(i).get_string("name") == "default") return std::string(value->element(i).get_string("template"));
  }
  return std::nullopt;
}

std::optional<TokenId> find_token(const std::optional<std::string>& name, const TokenizerSpec& spec,
                                  std::string_view field) {
  if (!name) return std::nullopt;
  const auto at = std::find_if(spec.added_tokens.begin(), spec.added_tokens.end(),
                               [&](const AddedToken& token) { return token.content == *name; });
  if (at != spec.added_tokens.end()) return at->id;
  throw FileError(spec.source, fmt::format("{}: {} is not among the added tokens", field, base::quote(*name)));
}

}  // namespace

TokenizerConfig tokenizer_config_from_json(std::string_view json, const std::string& path) {
  const auto document = base::parse_json(json, path);
  const base::JsonValue root = document.root().to_object("tokenizer_config");
  return {read_token(root, "bos_token"), read_token(root, "eos_token"), read_template(root)};
}

void apply_tokenizer_config(const TokenizerConfig& config, TokenizerSpec& spec) {
  if (const auto bos = find_token(config.bos_token, spec, "bos_token")) spec.bos = bos;
  if (const auto eos = find_token(config.eos_token, spec, "eos_token")) {
    spec.eos = eos;
    add_end_id(spec.end_ids, *eos);
  }
}

}  // namespace plimsoll::text
