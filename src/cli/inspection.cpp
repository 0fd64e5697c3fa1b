#include "cli/inspection.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/io.h"
#include "plimsoll/lm/config.h"

namespace plimsoll::cli {

namespace {

namespace fs = std::filesystem;

Inspection inspect_gguf(const std::string& path) {
  const GgufFile file(path);
  Inspection result{.path = path, .format = fmt::format("GGUF {}", file.version()), .nbytes = file.nbytes()};
  for (const GgufFile::Entry& entry : file.metadata()) result.metadata.push_back({entry.key, entry.type, entry.value});
  for (const auto& [name, tensor] : file.tensors()) {
    result.tensors.push_back({name, tensor.type, tensor.shape, tensor.nbytes, tensor.data.has_value()});
  }
  return result;
}

void add_safetensors(const SafetensorsLoad& loaded, Inspection& result) {
  for (const auto& [name, tensor] : loaded.first) {
    result.tensors.push_back({name, std::string(name_of(tensor.dtype())), tensor.shape(), tensor.nbytes()});
  }
  for (const auto& [key, value] : loaded.second) result.metadata.push_back({key, "", value});
  std::ranges::sort(result.tensors, {}, &InspectedTensor::name);
  std::ranges::sort(result.metadata, {}, &InspectedEntry::key);
}

Inspection inspect_safetensors(const std::string& path) {
  const SafetensorsLoad loaded = load_safetensors(path);
  Inspection result{.path = path, .format = "safetensors", .nbytes = fs::file_size(path)};
  add_safetensors(loaded, result);
  return result;
}

uint64_t safetensors_bytes(const std::string& folder) {
  uint64_t nbytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors" && entry.is_regular_file()) nbytes += entry.file_size();
  }
  return nbytes;
}

void add_config(const lm::Config& config, Inspection& result) {
  const auto add = [&](const char* key, const auto& value) {
    result.metadata.push_back({key, "", fmt::format("{}", value)});
  };
  add("architecture", config.architecture);
  add("vocabulary", config.vocabulary);
  add("context", config.context);
  add("layers", config.layers);
  add("hidden", config.hidden);
  add("intermediate", config.intermediate);
  add("heads", config.heads);
  add("kv_heads", config.kv_heads);
  add("head_dim", config.head_dim);
  add("rope_base", config.rope_base);
  if (!config.quantization) return;
  result.quantization =
      fmt::format("affine, {} bits, groups of {}", config.quantization->bits, config.quantization->group_size);
}

// A folder's tensors can be listed even where its model is not supported; then the reason stands in for the config.
Inspection inspect_folder(const std::string& path) {
  Inspection result{.path = path, .format = "model folder"};
  add_safetensors(load_safetensors_folder(path), result);
  result.nbytes = safetensors_bytes(path);
  const std::string config = (fs::path(path) / "config.json").string();
  if (!fs::exists(config)) return result;
  try {
    add_config(lm::config_from_json_file(config), result);
  } catch (const FileError& error) {
    result.metadata.push_back({"config", "not usable", error.what()});
  }
  return result;
}

}  // namespace

Inspection inspect(const std::string& path) {
  if (fs::is_directory(path)) return inspect_folder(path);
  if (path.ends_with(".safetensors")) return inspect_safetensors(path);
  return inspect_gguf(path);
}

}  // namespace plimsoll::cli
