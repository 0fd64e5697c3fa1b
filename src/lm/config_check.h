// Checks that both readers of configurations share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/lm/config.h"

namespace plimsoll::lm {

// "llama", "qwen2" and "qwen3" set what follows from the name alone; FileError for any other.
void apply_architecture(Config& config, std::string_view name, std::string_view field);

// `value` if it lies in [1, highest]; FileError naming file and field otherwise.
int checked_count(const Config& config, std::string_view field, int64_t value, int64_t highest);

// `value` if it is finite and above 0; FileError naming file and field otherwise.
double checked_positive(const Config& config, std::string_view field, double value);

// FileError "field '<field>': <what>".
[[noreturn]] void refuse_field(const Config& config, std::string_view field, const std::string& what);

// What holds between the fields: heads and their sizes, the scaling's numbers. The names are those of the file's
// format.
struct CrossFieldNames {
  std::string_view heads;
  std::string_view kv_heads;
  std::string_view head_dim;
  std::string_view rope_scaling;
};
void check_fields_together(const Config& config, const CrossFieldNames& names);

inline constexpr int64_t kMaxVocabulary = int64_t{1} << 24;
inline constexpr int64_t kMaxWidth = int64_t{1} << 20;
inline constexpr int64_t kMaxLayers = 4096;
inline constexpr int64_t kMaxContext = int64_t{1} << 28;

}  // namespace plimsoll::lm
