// Hugging Face's tokenizer_config.json: what stands beside a tokenizer.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plimsoll/text/tokenizer_spec.h"

namespace plimsoll::text {

struct TokenizerConfig {
  std::optional<std::string> bos_token;
  std::optional<std::string> eos_token;
  std::optional<std::string> chat_template;
};

// FileError naming `path` and the field for what is malformed.
TokenizerConfig tokenizer_config_from_json(std::string_view json, const std::string& path);

// Sets bos, eos and end_ids by the names in `config`. FileError naming spec.source for a name that is no added token.
void apply_tokenizer_config(const TokenizerConfig& config, TokenizerSpec& spec);

}  // namespace plimsoll::text
