#include "base/env.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "base/bytes.h"

namespace plimsoll::base {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(fmt::format("[{}] expected {}, found '{}'", name, expected, found));
}

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::optional<std::string> env_string(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::optional<int64_t> env_int(const char* name, int64_t lowest, int64_t highest) {
  const auto text = env_string(name);
  if (!text) return std::nullopt;
  int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || stopped != end || value < lowest || value > highest) {
    refuse(name, fmt::format("an integer from {} to {}", lowest, highest), *text);
  }
  return value;
}

std::optional<bool> env_bool(const char* name) {
  static constexpr std::array<std::string_view, 4> kTrue = {"1", "true", "yes", "on"};
  static constexpr std::array<std::string_view, 4> kFalse = {"0", "false", "no", "off"};
  const auto text = env_string(name);
  if (!text) return std::nullopt;
  if (contains(kTrue, *text)) return true;
  if (contains(kFalse, *text)) return false;
  refuse(name, "1 or 0 (or true/false, yes/no, on/off)", *text);
}

std::optional<uint64_t> env_bytes(const char* name) {
  const auto text = env_string(name);
  if (!text) return std::nullopt;
  const auto bytes = parse_bytes(*text);
  if (!bytes) refuse(name, "a size such as 24.5GiB, 512MiB or plain bytes", *text);
  return bytes;
}

}  // namespace plimsoll::base
