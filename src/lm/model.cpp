#include "plimsoll/lm/model.h"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"
#include "plimsoll/lm/registry.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "base/quote.h"
#include "lm/activations.h"
#include "lm/checkpoint.h"
#include "lm/decoder.h"
#include "lm/load_tokenizer.h"

namespace plimsoll::lm {

namespace fs = std::filesystem;

struct Model::Impl {
  std::string path;
  Config config;
  Dtype dtype;
  text::Tokenizer tokenizer;
  std::optional<std::string> chat_template;
  Decoder decoder;
};

namespace {

std::string resolve(const std::string& path_or_name) {
  if (fs::exists(path_or_name)) return path_or_name;
  if (const auto pulled = find_pulled(path_or_name)) return *pulled;
  throw FileError(path_or_name, "there is no such file or folder, and no model of that name was pulled");
}

array token_row(std::span<const text::TokenId> ids) {
  return array(ids.begin(), {1, static_cast<ShapeElem>(ids.size())}, int32);
}

void check_tokens(std::span<const text::TokenId> ids, const Config& config) {
  if (ids.empty()) throw std::invalid_argument("[Model] no tokens to start from");
  for (const text::TokenId id : ids) {
    if (id < 0 || id >= config.vocabulary) {
      throw std::out_of_range(fmt::format("[Model] token {} is outside the vocabulary of {}", id, config.vocabulary));
    }
  }
}

// The tokenizer may know fewer ids than the embedding has rows (padding), never more.
void check_vocabulary(const text::Tokenizer& tokenizer, const Config& config) {
  if (tokenizer.vocabulary_size() <= static_cast<size_t>(config.vocabulary)) return;
  throw FileError(config.source, fmt::format("the tokenizer has {} tokens, but the model's vocabulary only {}",
                                             tokenizer.vocabulary_size(), config.vocabulary));
}

Decoder load_decoder(Config& config, Checkpoint& checkpoint, Dtype dtype) {
  if (!config.tied_embeddings) config.tied_embeddings = !checkpoint.has_matrix(Role::kHead);
  Decoder decoder(config, checkpoint, dtype);
  checkpoint.refuse_leftovers();
  return decoder;
}

}  // namespace

Model Model::load(const std::string& path_or_name, const LoadOptions& options) {
  const std::string path = resolve(path_or_name);
  const Dtype dtype = options.dtype.value_or(default_activations());
  require_activation_dtype(dtype);
  if (fs::is_directory(path)) {
    Config config = config_from_json_file((fs::path(path) / "config.json").string());
    text::Tokenizer tokenizer = tokenizer_from_folder(path, config);
    check_vocabulary(tokenizer, config);
    Decoder decoder = load_decoder(config, *open_folder_checkpoint(path, config), dtype);
    return Model(std::make_shared<const Impl>(Impl{path, std::move(config), dtype, std::move(tokenizer),
                                                   chat_template_from_folder(path), std::move(decoder)}));
  }
  const GgufFile file(path);
  Config config = config_from_gguf(file);
  text::Tokenizer tokenizer = tokenizer_from_gguf(file);
  check_vocabulary(tokenizer, config);
  Decoder decoder = load_decoder(config, *open_gguf_checkpoint(file), dtype);
  return Model(std::make_shared<const Impl>(
      Impl{path, std::move(config), dtype, std::move(tokenizer), chat_template_from_gguf(file), std::move(decoder)}));
}

const std::string& Model::path() const { return impl_->path; }
const Config& Model::config() const { return impl_->config; }
Dtype Model::dtype() const { return impl_->dtype; }
const text::Tokenizer& Model::tokenizer() const { return impl_->tokenizer; }
const std::optional<std::string>& Model::chat_template() const { return impl_->chat_template; }

KvCache Model::make_cache(const KvCacheOptions& options) const { return KvCache(config(), dtype(), options); }

array Model::forward(const array& ids, KvCache& cache, LogitRows rows) const {
  const int tokens = ids.shape(1);
  cache.reserve(cache.rows() + tokens, /*exact=*/false);
  array hidden = impl_->decoder.hidden(ids, cache);
  if (rows == LogitRows::kLast && tokens > 1) {
    hidden = slice(hidden, {0, tokens - 1, 0}, {1, tokens, config().hidden});
  }
  return impl_->decoder.logits(hidden);
}

std::optional<array> Model::prefill(std::span<const text::TokenId> ids, KvCache& cache,
                                    const PrefillOptions& options) const {
  check_tokens(ids, config());
  const size_t chunk = static_cast<size_t>(std::max(options.chunk, 1));
  cache.reserve(cache.rows() + static_cast<int>(ids.size()), /*exact=*/false);
  size_t done = 0;
  while (ids.size() - done > chunk) {
    impl_->decoder.hidden(token_row(ids.subspan(done, chunk)), cache);
    eval(cache.arrays());
    done += chunk;
    if (options.progress && !options.progress(done, ids.size())) return std::nullopt;
  }
  return forward(token_row(ids.subspan(done)), cache, LogitRows::kLast);
}

array Model::logits(std::span<const text::TokenId> ids) const {
  check_tokens(ids, config());
  KvCache cache = make_cache({.reserve_rows = static_cast<int>(ids.size())});
  return squeeze(forward(token_row(ids), cache, LogitRows::kAll), 0);
}

}  // namespace plimsoll::lm
