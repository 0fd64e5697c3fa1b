// Configurations from config.json of Hugging Face and mlx-community folders.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/lm/config.h"
#include "base/json.h"
#include "base/quote.h"
#include "lm/config_check.h"

namespace plimsoll::lm {

namespace {

using base::JsonValue;

int count(const Config& config, const JsonValue& object, std::string_view key, int64_t highest) {
  return checked_count(config, key, object.get_int(key), highest);
}

int count_or(const Config& config, const JsonValue& object, std::string_view key, int64_t highest, int fallback) {
  return checked_count(config, key, object.get_int(key, fallback), highest);
}

std::optional<JsonValue> find_object(const JsonValue& object, std::string_view key) {
  const auto value = object.find(key);
  if (!value || value->is_null()) return std::nullopt;
  return value->to_object(key);
}

void read_rope_scaling(const JsonValue& object, Config& config) {
  RopeScaling& scaling = config.rope_scaling;
  const std::string_view kind = object.get_string("rope_type", object.get_string("type", "default"));
  if (kind == "default") return;
  const auto positive = [&](std::string_view key, double fallback) {
    return checked_positive(config, key, object.get_double(key, fallback));
  };
  scaling.factor = checked_positive(config, "factor", object.get_double("factor"));
  scaling.original_context = positive("original_max_position_embeddings", config.context);
  if (kind == "linear") {
    scaling.kind = RopeScaling::Kind::kLinear;
  } else if (kind == "llama3") {
    scaling.kind = RopeScaling::Kind::kLlama3;
    scaling.low_frequency_factor = positive("low_freq_factor", scaling.low_frequency_factor);
    scaling.high_frequency_factor = positive("high_freq_factor", scaling.high_frequency_factor);
  } else if (kind == "yarn") {
    scaling.kind = RopeScaling::Kind::kYarn;
    scaling.beta_fast = positive("beta_fast", scaling.beta_fast);
    scaling.beta_slow = positive("beta_slow", scaling.beta_slow);
    const auto attention = object.find("attention_factor");
    if (attention && !attention->is_null()) {
      scaling.attention_factor = checked_positive(config, "attention_factor", attention->to_double("attention_factor"));
    }
  } else {
    refuse_field(config, "rope_type",
                 fmt::format("{} is not supported; linear, llama3 and yarn are", base::quote(kind)));
  }
}

// Older files keep rope_theta at the top and rope_scaling beside it; newer ones hold both in rope_parameters.
void read_rope(const JsonValue& root, Config& config) {
  const auto parameters = find_object(root, "rope_parameters");
  const JsonValue& home = parameters ? *parameters : root;
  config.rope_base = checked_positive(config, "rope_theta", home.get_double("rope_theta", config.rope_base));
  const auto scaling = parameters ? parameters : find_object(root, "rope_scaling");
  if (scaling) read_rope_scaling(*scaling, config);
}

AffineQuantization read_affine(const Config& config, const JsonValue& object, const AffineQuantization& fallback) {
  const std::string_view mode = object.get_string("mode", "affine");
  if (mode != "affine")
    refuse_field(config, "mode", fmt::format("quantization {} is not supported; affine is", base::quote(mode)));
  AffineQuantization affine;
  affine.group_size = count_or(config, object, "group_size", 128, fallback.group_size);
  affine.bits = count_or(config, object, "bits", 8, fallback.bits);
  constexpr int kGroupSizes[] = {32, 64, 128};
  constexpr int kBits[] = {2, 3, 4, 5, 6, 8};
  if (std::ranges::find(kGroupSizes, affine.group_size) == std::end(kGroupSizes)) {
    refuse_field(config, "group_size", fmt::format("{} is not 32, 64 or 128", affine.group_size));
  }
  if (std::ranges::find(kBits, affine.bits) == std::end(kBits)) {
    refuse_field(config, "bits", fmt::format("{} is not 2, 3, 4, 5, 6 or 8", affine.bits));
  }
  return affine;
}

void read_quantization(const JsonValue& root, Config& config) {
  const auto object = find_object(root, "quantization");
  if (!object) {
    const auto foreign = find_object(root, "quantization_config");
    const std::string_view method = foreign ? foreign->get_string("quant_method", "") : "";
    if (!method.empty()) {
      refuse_field(config, "quantization_config",
                   fmt::format("weights quantized by {} are not supported", base::quote(method)));
    }
    return;
  }
  config.quantization = read_affine(config, *object, {});
  for (size_t i = 0; i < object->size(); ++i) {
    const base::JsonMember member = object->member(i);
    if (member.value.is_object()) {
      config.quantization_overrides.emplace(member.key, read_affine(config, member.value, *config.quantization));
    }
  }
}

text::TokenId token_id(const Config& config, const JsonValue& value, std::string_view key) {
  const int64_t id = value.to_int(key);
  if (id < 0 || id >= kMaxVocabulary) refuse_field(config, key, fmt::format("{} is not a token id", id));
  return static_cast<text::TokenId>(id);
}

void read_token_ids(const JsonValue& root, Config& config) {
  const auto bos = root.find("bos_token_id");
  if (bos && !bos->is_null() && !bos->is_array()) config.bos = token_id(config, *bos, "bos_token_id");
  const auto eos = root.find("eos_token_id");
  if (!eos || eos->is_null()) return;
  const size_t total = eos->is_array() ? eos->size() : 1;
  for (size_t i = 0; i < total; ++i) {
    const text::TokenId id = token_id(config, eos->is_array() ? eos->element(i) : *eos, "eos_token_id");
    if (std::ranges::find(config.eos, id) == config.eos.end()) config.eos.push_back(id);
  }
}

void refuse_unsupported(const JsonValue& root, const Config& config) {
  const std::string_view activation = root.get_string("hidden_act", "silu");
  if (activation != "silu")
    refuse_field(config, "hidden_act", fmt::format("{} is not supported; silu is", base::quote(activation)));
  if (root.get_bool("mlp_bias", false)) refuse_field(config, "mlp_bias", "feed-forward biases are not supported");
  if (root.get_bool("use_sliding_window", false)) {
    refuse_field(config, "use_sliding_window", "sliding window attention is not supported");
  }
  if (root.get_double("partial_rotary_factor", 1.0) != 1.0) {
    refuse_field(config, "partial_rotary_factor", "rotating a part of each head is not supported");
  }
}

}  // namespace

Config config_from_json_file(const std::string& path) {
  const base::JsonDocument document = base::load_json(path);
  const JsonValue root = document.root().to_object("config");
  Config config;
  config.source = path;
  apply_architecture(config, root.get_string("model_type"), "model_type");

  config.vocabulary = count(config, root, "vocab_size", kMaxVocabulary);
  config.layers = count(config, root, "num_hidden_layers", kMaxLayers);
  config.hidden = count(config, root, "hidden_size", kMaxWidth);
  config.intermediate = count(config, root, "intermediate_size", kMaxWidth);
  config.heads = count(config, root, "num_attention_heads", kMaxWidth);
  config.kv_heads = count_or(config, root, "num_key_value_heads", kMaxWidth, config.heads);
  config.head_dim = count_or(config, root, "head_dim", kMaxWidth, std::max(config.hidden / config.heads, 1));
  config.context = count_or(config, root, "max_position_embeddings", kMaxContext, 2048);
  config.rms_epsilon =
      static_cast<float>(checked_positive(config, "rms_norm_eps", root.get_double("rms_norm_eps", config.rms_epsilon)));
  read_rope(root, config);
  read_quantization(root, config);
  refuse_unsupported(root, config);
  if (config.architecture != "qwen2" && root.get_bool("attention_bias", false)) {
    config.qkv_bias = config.output_bias = true;
  }
  if (const auto tied = root.find("tie_word_embeddings"); tied && !tied->is_null()) {
    config.tied_embeddings = tied->to_bool("tie_word_embeddings");
  }
  check_fields_together(config, {"num_attention_heads", "num_key_value_heads", "head_dim", "rope_scaling"});

  read_token_ids(root, config);
  const auto generation = std::filesystem::path(path).parent_path() / "generation_config.json";
  if (std::filesystem::exists(generation)) {
    const base::JsonDocument defaults = base::load_json(generation.string());
    read_token_ids(defaults.root().to_object("generation_config"), config);
  }
  return config;
}

}  // namespace plimsoll::lm
