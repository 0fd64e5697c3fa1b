// A conversation: generations that share a key/value cache, so that only what is new of a prompt is processed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plimsoll/lm/generate.h"
#include "plimsoll/lm/kv_cache.h"
#include "plimsoll/lm/model.h"

namespace plimsoll::lm {

class Session {
 public:
  explicit Session(Model model, const KvCacheOptions& cache = {}) : model_(std::move(model)), options_(cache) {}

  const Model& model() const { return model_; }

  // Continues `prompt`, the whole conversation so far. What it shares with the tokens in the cache, from the first one
  // on, is not processed again; the rest of the cache is dropped. The same tokens as a generation from cold.
  // options.cache is not looked at. An exception empties the cache.
  GenerateResult generate(std::span<const text::TokenId> prompt, const GenerateOptions& options = {});

  // Drops the cache and its memory.
  void clear();

  std::span<const text::TokenId> cached_tokens() const { return cached_; }

 private:
  Model model_;
  KvCacheOptions options_;
  std::optional<KvCache> cache_;
  std::vector<text::TokenId> cached_;  // the tokens of the cache's rows
};

}  // namespace plimsoll::lm
