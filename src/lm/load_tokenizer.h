// Tokenizers and chat templates from a model's files.
#pragma once

#include <optional>
#include <string>

#include "plimsoll/io.h"
#include "plimsoll/lm/config.h"
#include "plimsoll/text/tokenizer.h"

namespace plimsoll::lm {

text::Tokenizer tokenizer_from_gguf(const GgufFile& file);
std::optional<std::string> chat_template_from_gguf(const GgufFile& file);

// tokenizer.json; the tokens that begin and end a text are completed from the model's configuration.
text::Tokenizer tokenizer_from_folder(const std::string& folder, const Config& config);
// chat_template.jinja, or the field chat_template of tokenizer_config.json (the one named "default" of several).
std::optional<std::string> chat_template_from_folder(const std::string& folder);

}  // namespace plimsoll::lm
