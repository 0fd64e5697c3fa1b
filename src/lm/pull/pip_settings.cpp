#include "lm/pull/pip_settings.h"

#include <sstream>

#include "base/env.h"
#include "base/file.h"

namespace plimsoll::lm {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultIndex = "https://pypi.org/simple";
constexpr uint64_t kMaxConfigBytes = uint64_t{1} << 20;

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<fs::path> config_files() {
  std::vector<fs::path> files{"/etc/xdg/pip/pip.conf", "/etc/pip.conf"};
  if (const auto home = base::env_string("HOME")) {
    files.push_back(fs::path(*home) / ".pip/pip.conf");
    const auto config = base::env_string("XDG_CONFIG_HOME");
    files.push_back((config ? fs::path(*config) : fs::path(*home) / ".config") / "pip/pip.conf");
  }
  if (const auto venv = base::env_string("VIRTUAL_ENV")) files.push_back(fs::path(*venv) / "pip.conf");
  if (const auto named = base::env_string("PIP_CONFIG_FILE")) files.emplace_back(*named);
  return files;
}

// An environment variable, else the last configuration file that has the key.
std::string setting(const char* variable, const std::string& key) {
  if (const auto value = base::env_string(variable)) return *value;
  std::string found;
  for (const fs::path& file : config_files()) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    const std::string value = pip_config_value(base::read_file(file.string(), kMaxConfigBytes), key);
    if (!value.empty()) found = value;
  }
  return found;
}

}  // namespace

std::string pip_config_value(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  std::string value;
  bool in_global = false;
  for (std::string raw; std::getline(lines, raw);) {
    const std::string line = trimmed(raw);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      in_global = line == "[global]";
      continue;
    }
    const size_t at = line.find_first_of("=:");
    if (in_global && at != std::string::npos && trimmed(line.substr(0, at)) == key)
      value = trimmed(line.substr(at + 1));
  }
  return value;
}

PipSettings read_pip_settings() {
  PipSettings settings;
  settings.index_url = setting("PIP_INDEX_URL", "index-url");
  if (settings.index_url.empty()) settings.index_url = kDefaultIndex;
  while (settings.index_url.ends_with('/')) settings.index_url.pop_back();
  std::istringstream links(setting("PIP_FIND_LINKS", "find-links"));
  for (std::string link; links >> link;) {
    if (!link.starts_with("http:") && !link.starts_with("https:")) settings.find_links.emplace_back(link);
  }
  return settings;
}

}  // namespace plimsoll::lm
