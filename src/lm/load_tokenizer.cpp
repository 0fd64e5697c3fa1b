#include "lm/load_tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "base/file.h"
#include "base/json.h"

namespace plimsoll::lm {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTokenizerBytes = uint64_t{256} << 20;
constexpr uint64_t kMaxTemplateBytes = uint64_t{1} << 20;

text::StringTable string_table(const GgufFile& file, std::string_view key) {
  auto strings = file.find_strings(key);
  if (!strings) return {};
  const auto shared = std::make_shared<std::vector<std::string_view>>(std::move(*strings));
  return {shared->size(), [shared](size_t i) { return (*shared)[i]; }};
}

std::string string_or_empty(const GgufFile& file, std::string_view key) {
  return std::string(file.find_string(key).value_or(""));
}

void fill_tables(const GgufFile& file, text::GgufTokenizerValues& values) {
  values.tokens = string_table(file, "tokenizer.ggml.tokens");
  values.merges = string_table(file, "tokenizer.ggml.merges");
  if (auto types = file.find_ints("tokenizer.ggml.token_type")) {
    const auto shared = std::make_shared<std::vector<int64_t>>(std::move(*types));
    values.token_type_count = shared->size();
    values.token_types = [shared](size_t i) { return (*shared)[i]; };
  }
  if (auto scores = file.find_floats("tokenizer.ggml.scores")) {
    const auto shared = std::make_shared<std::vector<float>>(std::move(*scores));
    values.score_count = shared->size();
    values.scores = [shared](size_t i) { return (*shared)[i]; };
  }
}

// The template named "default", where a model has several.
std::optional<std::string> default_template(const base::JsonValue& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    const base::JsonValue entry = list.element(i);
    if (entry.get_string("name", "") == "default") return std::string(entry.get_string("template"));
  }
  return std::nullopt;
}

}  // namespace

text::Tokenizer tokenizer_from_gguf(const GgufFile& file) {
  text::GgufTokenizerValues values;
  values.path = file.path();
  values.model = string_or_empty(file, "tokenizer.ggml.model");
  values.pre = string_or_empty(file, "tokenizer.ggml.pre");
  fill_tables(file, values);
  values.bos_token_id = file.find_int("tokenizer.ggml.bos_token_id");
  values.eos_token_id = file.find_int("tokenizer.ggml.eos_token_id");
  values.eot_token_id = file.find_int("tokenizer.ggml.eot_token_id");
  values.unknown_token_id = file.find_int("tokenizer.ggml.unknown_token_id");
  values.add_bos_token = file.find_bool("tokenizer.ggml.add_bos_token");
  values.add_eos_token = file.find_bool("tokenizer.ggml.add_eos_token");
  values.add_space_prefix = file.find_bool("tokenizer.ggml.add_space_prefix");
  return text::Tokenizer(text::spec_from_gguf_values(values));
}

std::optional<std::string> chat_template_from_gguf(const GgufFile& file) {
  const auto text = file.find_string("tokenizer.chat_template");
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

text::Tokenizer tokenizer_from_folder(const std::string& folder, const Config& config) {
  const std::string path = (fs::path(folder) / "tokenizer.json").string();
  text::TokenizerSpec spec = text::spec_from_tokenizer_json(base::read_file(path, kMaxTokenizerBytes), path);
  if (!spec.bos) spec.bos = config.bos;
  if (!spec.eos && !config.eos.empty()) spec.eos = config.eos.front();
  for (const text::TokenId id : config.eos) {
    if (std::ranges::find(spec.end_ids, id) == spec.end_ids.end()) spec.end_ids.push_back(id);
  }
  return text::Tokenizer(spec);
}

std::optional<std::string> chat_template_from_folder(const std::string& folder) {
  const fs::path separate = fs::path(folder) / "chat_template.jinja";
  if (fs::exists(separate)) return base::read_file(separate.string(), kMaxTemplateBytes);
  const fs::path settings = fs::path(folder) / "tokenizer_config.json";
  if (!fs::exists(settings)) return std::nullopt;
  const base::JsonDocument document = base::load_json(settings.string());
  const auto value = document.root().find("chat_template");
  if (!value || value->is_null()) return std::nullopt;
  if (value->is_array()) return default_template(*value);
  return std::string(value->to_string("chat_template"));
}

}  // namespace plimsoll::lm
