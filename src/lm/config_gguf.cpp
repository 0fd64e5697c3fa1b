// Configurations from GGUF metadata. Keys start with the name of the architecture.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"
#include "plimsoll/lm/config.h"
#include "base/quote.h"
#include "lm/config_check.h"

namespace plimsoll::lm {

namespace {

class GgufFields {
 public:
  GgufFields(const GgufFile& file, Config& config) : file_(file), config_(config) {}

  std::string key(std::string_view name) const { return fmt::format("{}.{}", config_.architecture, name); }

  int count(std::string_view name, int64_t highest) const {
    const auto value = file_.find_int(key(name));
    if (!value) refuse_field(config_, key(name), "is missing");
    return checked_count(config_, key(name), *value, highest);
  }
  int count_or(std::string_view name, int64_t highest, int fallback) const {
    const auto value = file_.find_int(key(name));
    return value ? checked_count(config_, key(name), *value, highest) : fallback;
  }
  double positive_or(std::string_view name, double fallback) const {
    const auto value = file_.find_float(key(name));
    return value ? checked_positive(config_, key(name), *value) : fallback;
  }

 private:
  const GgufFile& file_;
  Config& config_;
};

void read_rope_scaling(const GgufFile& file, const GgufFields& fields, Config& config) {
  const std::string key = fields.key("rope.scaling.type");
  const std::string_view kind = file.find_string(key).value_or("none");
  RopeScaling& scaling = config.rope_scaling;
  if (kind == "none") return;
  scaling.factor = fields.positive_or("rope.scaling.factor", 1.0);
  scaling.original_context = fields.positive_or("rope.scaling.original_context_length", config.context);
  if (kind == "linear") {
    scaling.kind = RopeScaling::Kind::kLinear;
  } else if (kind == "yarn") {
    scaling.kind = RopeScaling::Kind::kYarn;
    scaling.beta_fast = fields.positive_or("rope.scaling.yarn_beta_fast", scaling.beta_fast);
    scaling.beta_slow = fields.positive_or("rope.scaling.yarn_beta_slow", scaling.beta_slow);
    // GGUF stores what multiplies the usual factor, not the factor itself.
    const double attention = fields.positive_or("rope.scaling.attn_factor", 1.0);
    scaling.attention_factor = attention * (scaling.factor > 1 ? 0.1 * std::log(scaling.factor) + 1 : 1.0);
  } else {
    refuse_field(config, key, fmt::format("{} is not supported; none, linear and yarn are", base::quote(kind)));
  }
}

int vocabulary_of(const GgufFile& file, const GgufFields& fields, const Config& config) {
  const auto embedding = file.tensors().find("token_embd.weight");
  if (embedding == file.tensors().end() || embedding->second.shape.size() != 2) {
    throw FileError(file.path(), "tensor 'token_embd.weight' is missing or is no matrix");
  }
  const int rows = checked_count(config, "token_embd.weight", embedding->second.shape[0], kMaxVocabulary);
  const int declared = fields.count_or("vocab_size", kMaxVocabulary, rows);
  if (declared != rows) {
    refuse_field(config, fields.key("vocab_size"),
                 fmt::format("{} tokens, but token_embd.weight has {} rows", declared, rows));
  }
  return rows;
}

void refuse_unsupported(const GgufFile& file, const GgufFields& fields, const Config& config) {
  if (file.find_int(fields.key("expert_count")).value_or(0) > 0) {
    refuse_field(config, fields.key("expert_count"), "mixtures of experts are not supported");
  }
  const int rotated = fields.count_or("rope.dimension_count", kMaxWidth, config.head_dim);
  if (rotated != config.head_dim) {
    refuse_field(config, fields.key("rope.dimension_count"),
                 fmt::format("rotating {} of {} elements of a head is not supported", rotated, config.head_dim));
  }
  const int value_dim = fields.count_or("attention.value_length", kMaxWidth, config.head_dim);
  if (value_dim != config.head_dim) {
    refuse_field(config, fields.key("attention.value_length"),
                 fmt::format("values of {} elements beside keys of {} are not supported", value_dim, config.head_dim));
  }
}

std::optional<text::TokenId> token_id(const GgufFile& file, const Config& config, std::string_view key) {
  const auto value = file.find_int(key);
  if (!value) return std::nullopt;
  if (*value < 0 || *value >= config.vocabulary) {
    refuse_field(config, key, fmt::format("{} is not a token of the vocabulary of {}", *value, config.vocabulary));
  }
  return static_cast<text::TokenId>(*value);
}

}  // namespace

Config config_from_gguf(const GgufFile& file) {
  Config config;
  config.source = file.path();
  const auto architecture = file.find_string("general.architecture");
  if (!architecture) refuse_field(config, "general.architecture", "is missing");
  apply_architecture(config, *architecture, "general.architecture");
  config.rope_traditional = config.architecture == "llama";

  const GgufFields fields(file, config);
  config.context = fields.count("context_length", kMaxContext);
  config.layers = fields.count("block_count", kMaxLayers);
  config.hidden = fields.count("embedding_length", kMaxWidth);
  config.intermediate = fields.count("feed_forward_length", kMaxWidth);
  config.heads = fields.count("attention.head_count", kMaxWidth);
  config.kv_heads = fields.count_or("attention.head_count_kv", kMaxWidth, config.heads);
  const int even_share = std::max(config.hidden / config.heads, 1);
  config.head_dim = fields.count_or("attention.key_length", kMaxWidth, even_share);
  config.rms_epsilon = static_cast<float>(fields.positive_or("attention.layer_norm_rms_epsilon", config.rms_epsilon));
  config.rope_base = fields.positive_or("rope.freq_base", config.rope_base);
  config.vocabulary = vocabulary_of(file, fields, config);
  read_rope_scaling(file, fields, config);
  refuse_unsupported(file, fields, config);
  config.qkv_bias = config.qkv_bias || file.tensors().contains("blk.0.attn_q.bias");
  config.output_bias = file.tensors().contains("blk.0.attn_output.bias");
  config.tied_embeddings = !file.tensors().contains("output.weight");

  config.bos = token_id(file, config, "tokenizer.ggml.bos_token_id");
  if (const auto eos = token_id(file, config, "tokenizer.ggml.eos_token_id")) config.eos.push_back(*eos);
  check_fields_together(config, {fields.key("attention.head_count"), fields.key("attention.head_count_kv"),
                                 fields.key("attention.key_length"), fields.key("rope.scaling.type")});
  return config;
}

}  // namespace plimsoll::lm
