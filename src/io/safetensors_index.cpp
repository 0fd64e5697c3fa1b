#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/quote.h"
#include "io/safetensors.h"

namespace plimsoll::io {
namespace {

constexpr std::string_view kSuffix = ".safetensors";

bool is_plain_name(std::string_view name) {
  return name.size() > kSuffix.size() && name.ends_with(kSuffix) && !name.starts_with('.') &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

std::vector<std::string> unique_files(const base::JsonValue& weights) {
  std::vector<std::string> files;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto [weight, file] = weights.member(i);
    const std::string_view name = file.to_string(weight);
    if (!is_plain_name(name)) {
      file.fail(weight,
                fmt::format("{} is not the plain name of a .safetensors file beside the index", base::quote(name)));
    }
    files.emplace_back(name);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace

SafetensorsIndex parse_safetensors_index(std::string_view text, const std::string& path) {
  const auto document = base::parse_json(text, path);
  const auto weights = document.root().to_object("index").at("weight_map").to_object("weight_map");
  SafetensorsIndex index;
  index.files = unique_files(weights);
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto [weight, file] = weights.member(i);
    const auto at = std::lower_bound(index.files.begin(), index.files.end(), file.to_string(weight));
    index.weights.push_back({std::string(weight), static_cast<size_t>(at - index.files.begin())});
  }
  return index;
}

}  // namespace plimsoll::io
