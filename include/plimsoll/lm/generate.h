// Text generation: a prompt, then token after token.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/lm/kv_cache.h"
#include "plimsoll/lm/model.h"
#include "plimsoll/lm/sampling.h"

namespace plimsoll::lm {

struct GenerateOptions {
  int max_tokens = 256;  // 0: until the model or the caller stops, or the cache's cap
  SamplingOptions sampling;
  std::vector<std::string> stop;  // ends the generation when the text holds one; none of it is shown
  bool stop_at_end = true;        // the model's end tokens end the generation
  PrefillOptions prefill;
  KvCacheOptions cache;  // reserve_rows is raised to prompt + max_tokens where that is known

  // Called after each token with the text that became certain, which may be empty; false stops.
  std::function<bool(std::string_view)> on_text;
};

enum class StopReason {
  kEnd,         // the model ended its text
  kStopString,  // one of the stop strings came
  kLength,      // max_tokens
  kCacheFull,   // the cap of the key/value cache
  kCaller,      // on_text or the prefill's progress said stop
};
std::string_view stop_reason_name(StopReason reason);  // "end", "stop", "length", "cache_full", "interrupted"

struct GenerateResult {
  std::string text;
  std::vector<text::TokenId> tokens;  // without the end token
  size_t prompt_tokens = 0;
  size_t reused_tokens = 0;  // of the prompt, found in the cache of a Session
  StopReason stop_reason = StopReason::kLength;
  double prefill_seconds = 0.0;  // until the first token is known
  double decode_seconds = 0.0;   // from then to the last token

  // Tokens processed per second; 0 where there were none to measure.
  double prefill_tokens_per_second() const;
  double decode_tokens_per_second() const;
};

// Continues `prompt` in a cache of its own. Step n + 1 is under way before token n is read. Throws
// std::invalid_argument for an empty prompt, std::length_error for a prompt beyond the cache's cap, std::domain_error
// for logits with NaN, and OutOfMemory.
GenerateResult generate(const Model& model, std::span<const text::TokenId> prompt, const GenerateOptions& options = {});

// Continues what `cache` holds by `prompt`. Afterwards the cache holds what it held, the prompt, and those of the
// result's tokens that were fed back: all but the last, or all when the model went on to an end token. After an
// exception its content is undefined. `history` are the tokens that it held, for the repetition penalty.
GenerateResult generate(const Model& model, std::span<const text::TokenId> prompt, KvCache& cache,
                        std::span<const text::TokenId> history, const GenerateOptions& options);

}  // namespace plimsoll::lm
