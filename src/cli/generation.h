// What `generate` and `chat` share: how tokens are chosen, where an answer ends, how the cache is capped, and what is
// reported of a generation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "plimsoll/lm/generate.h"
#include "plimsoll/lm/model.h"
#include "plimsoll/text/chat_template.h"
#include "cli/common_options.h"
#include "cli/output.h"

namespace plimsoll::cli {

struct GenerationOptions {
  int max_tokens = 256;
  lm::SamplingOptions sampling;
  std::vector<std::string> stop;
  int kv_cache_tokens = 0;  // 0: the model's context
  std::string chat_format;  // empty: as the model's own template says
  std::string system;
};

void add_generation_options(CLI::App& command, GenerationOptions& options);

// For the library, without on_text; Ctrl-C stops the processing of a prompt.
lm::GenerateOptions library_options(const GenerationOptions& options, const CommonOptions& common,
                                    const lm::Model& model);

// The most tokens that prompt and answer may have together; 0: no cap.
int token_cap(const GenerationOptions& options, const lm::Model& model);

// The template of --chat-format, else the model's; nothing if it has none. FileError for one that is not known.
std::optional<text::ChatTemplate> chat_template(const GenerationOptions& options, const lm::Model& model);

// The fields of `generate --json`.
Json generation_json(const lm::GenerateResult& result, const lm::Model& model, const std::string& device);

// One line: tokens, speed, memory.
std::string generation_summary(const lm::GenerateResult& result);

}  // namespace plimsoll::cli
