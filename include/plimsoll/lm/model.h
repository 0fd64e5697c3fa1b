// A language model: its decoder, weights and tokenizer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "plimsoll/array.h"
#include "plimsoll/lm/config.h"
#include "plimsoll/lm/kv_cache.h"
#include "plimsoll/text/tokenizer.h"

namespace plimsoll::lm {

struct LoadOptions {
  // Of the activations: float32, bfloat16 or float16. Without: bfloat16 where the device multiplies it fast, else
  // float32.
  std::optional<Dtype> dtype = std::nullopt;
};

// Which rows of logits a caller wants.
enum class LogitRows { kAll, kLast };

struct PrefillOptions {
  int chunk = 512;  // tokens evaluated at a time
  // Called after each chunk with the tokens done and in all; false stops.
  std::function<bool(size_t, size_t)> progress = {};
};

// Cheap to copy; copies share the weights. Any thread may use it, each with a cache of its own.
class Model {
 public:
  // A GGUF file, a model folder (config.json, tokenizer.json, safetensors), or the name of a model that was pulled.
  // Weights stay where they are in the mapped file and are computed on as they are stored; dense ones of another dtype
  // than the activations are converted once. FileError, naming file and field or tensor, for what is not supported.
  static Model load(const std::string& path_or_name, const LoadOptions& options = {});

  const std::string& path() const;
  const Config& config() const;
  Dtype dtype() const;
  const text::Tokenizer& tokenizer() const;
  // As the model's files hold it; nothing if they hold none.
  const std::optional<std::string>& chat_template() const;

  KvCache make_cache(const KvCacheOptions& options = {}) const;

  // Logits in float32 of the tokens ids [1, T], which follow those that the cache holds: [1, T, vocabulary], or of the
  // last alone [1, 1, vocabulary]. Lazy; the cache holds the tokens at once.
  array forward(const array& ids, KvCache& cache, LogitRows rows) const;

  // Evaluates a prompt in chunks, and gives the logits of its last token [1, 1, vocabulary], not yet evaluated. Nothing
  // when `progress` stopped it. std::invalid_argument for no tokens, std::out_of_range for ids outside the vocabulary.
  std::optional<array> prefill(std::span<const text::TokenId> ids, KvCache& cache,
                               const PrefillOptions& options = {}) const;

  // Logits of every token of a text in a context of its own: [T, vocabulary] in float32, lazy.
  array logits(std::span<const text::TokenId> ids) const;

 private:
  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace plimsoll::lm
