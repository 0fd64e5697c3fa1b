#include "lm/config_check.h"

#include <cmath>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "base/quote.h"

namespace plimsoll::lm {

void refuse_field(const Config& config, std::string_view field, const std::string& what) {
  throw FileError(config.source, fmt::format("field '{}': {}", field, what));
}

void apply_architecture(Config& config, std::string_view name, std::string_view field) {
  config.architecture = name;
  if (name == "llama") return;
  if (name == "qwen2") {
    config.qkv_bias = true;
  } else if (name == "qwen3") {
    config.qk_norm = true;
  } else {
    refuse_field(config, field,
                 fmt::format("the architecture {} is not supported; llama, qwen2 and qwen3 are", base::quote(name)));
  }
}

int checked_count(const Config& config, std::string_view field, int64_t value, int64_t highest) {
  if (value < 1 || value > highest)
    refuse_field(config, field, fmt::format("{} is not between 1 and {}", value, highest));
  return static_cast<int>(value);
}

double checked_positive(const Config& config, std::string_view field, double value) {
  if (!std::isfinite(value) || value <= 0)
    refuse_field(config, field, fmt::format("{} is not a positive number", value));
  return value;
}

void check_fields_together(const Config& config, const CrossFieldNames& names) {
  if (config.heads % config.kv_heads != 0) {
    refuse_field(config, names.kv_heads,
                 fmt::format("{} query heads cannot share {} key/value heads evenly", config.heads, config.kv_heads));
  }
  if (config.head_dim % 2 != 0) {
    refuse_field(config, names.head_dim,
                 fmt::format("a head dimension of {} cannot be rotated in pairs", config.head_dim));
  }
  if (int64_t{config.heads} * config.head_dim > kMaxWidth) {
    refuse_field(config, names.heads, fmt::format("{} heads of {} are too wide", config.heads, config.head_dim));
  }
  const RopeScaling& scaling = config.rope_scaling;
  if (scaling.kind == RopeScaling::Kind::kLlama3 && scaling.high_frequency_factor <= scaling.low_frequency_factor) {
    refuse_field(config, names.rope_scaling, "high_freq_factor must be above low_freq_factor");
  }
  if (scaling.kind == RopeScaling::Kind::kYarn && config.rope_base <= 1.0) {
    refuse_field(config, names.rope_scaling, "yarn needs a frequency base above 1");
  }
}

}  // namespace plimsoll::lm
