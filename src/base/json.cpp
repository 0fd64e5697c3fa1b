#include "base/json.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/json_tree.h"
#include "base/quote.h"

namespace plimsoll::base {
namespace {

std::string_view name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "true or false";
    case JsonKind::kInteger:
      return "an integer";
    case JsonKind::kUnsigned:
      return "an integer above 2^63";
    case JsonKind::kNumber:
      return "a number with fraction or exponent";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "an unknown value";
}

}  // namespace

JsonKind JsonValue::kind() const { return tree_->nodes[node_].kind; }

size_t JsonValue::size() const { return is_array() || is_object() ? tree_->nodes[node_].size : 0; }

JsonValue JsonValue::element(size_t index) const { return {tree_, tree_->nodes[node_].payload + index}; }

JsonMember JsonValue::member(size_t index) const {
  const size_t key = tree_->nodes[node_].payload + 2 * index;
  return {tree_->text_of(tree_->nodes[key]), JsonValue(tree_, key + 1)};
}

void JsonValue::fail(std::string_view field, const std::string& what) const {
  throw FileError(tree_->path, fmt::format("field {}: {}", quote(field), what));
}

void JsonValue::wrong_kind(std::string_view field, std::string_view expected) const {
  fail(field, fmt::format("expected {}, found {}", expected, name_of(kind())));
}

bool JsonValue::to_bool(std::string_view field) const {
  if (kind() != JsonKind::kBool) wrong_kind(field, "true or false");
  return tree_->nodes[node_].payload != 0;
}

int64_t JsonValue::to_int(std::string_view field) const {
  if (kind() != JsonKind::kInteger) wrong_kind(field, "an integer of 64 bits");
  return std::bit_cast<int64_t>(tree_->nodes[node_].payload);
}

uint64_t JsonValue::to_uint(std::string_view field) const {
  const uint64_t bits = tree_->nodes[node_].payload;
  if (kind() == JsonKind::kUnsigned) return bits;
  if (kind() != JsonKind::kInteger) wrong_kind(field, "an integer of 64 bits");
  const auto value = std::bit_cast<int64_t>(bits);
  if (value < 0) fail(field, fmt::format("expected an integer that is not negative, found {}", value));
  return bits;
}

double JsonValue::to_double(std::string_view field) const {
  const uint64_t bits = tree_->nodes[node_].payload;
  switch (kind()) {
    case JsonKind::kNumber:
      return std::bit_cast<double>(bits);
    case JsonKind::kInteger:
      return static_cast<double>(std::bit_cast<int64_t>(bits));
    case JsonKind::kUnsigned:
      return static_cast<double>(bits);
    default:
      wrong_kind(field, "a number");
  }
}

std::string_view JsonValue::to_string(std::string_view field) const {
  if (!is_string()) wrong_kind(field, "a string");
  return tree_->text_of(tree_->nodes[node_]);
}

JsonValue JsonValue::to_array(std::string_view field) const {
  if (!is_array()) wrong_kind(field, "an array");
  return *this;
}

JsonValue JsonValue::to_object(std::string_view field) const {
  if (!is_object()) wrong_kind(field, "an object");
  return *this;
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  for (size_t i = 0; i < size(); ++i) {
    const JsonMember entry = member(i);
    if (entry.key == key) return entry.value;
  }
  return std::nullopt;
}

JsonValue JsonValue::at(std::string_view key) const {
  const auto value = find(key);
  if (!value) fail(key, is_object() ? "is missing" : "is missing, since there is no object to hold it");
  return *value;
}

std::optional<JsonValue> JsonValue::find_present(std::string_view key) const {
  const auto value = find(key);
  return value && !value->is_null() ? value : std::nullopt;
}

bool JsonValue::get_bool(std::string_view key, bool fallback) const {
  const auto value = find_present(key);
  return value ? value->to_bool(key) : fallback;
}

int64_t JsonValue::get_int(std::string_view key, int64_t fallback) const {
  const auto value = find_present(key);
  return value ? value->to_int(key) : fallback;
}

double JsonValue::get_double(std::string_view key, double fallback) const {
  const auto value = find_present(key);
  return value ? value->to_double(key) : fallback;
}

std::string_view JsonValue::get_string(std::string_view key, std::string_view fallback) const {
  const auto value = find_present(key);
  return value ? value->to_string(key) : fallback;
}

JsonDocument::JsonDocument(std::unique_ptr<const JsonTree> tree) : tree_(std::move(tree)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

JsonValue JsonDocument::root() const { return {tree_.get(), tree_->root}; }

const std::string& JsonDocument::path() const { return tree_->path; }

size_t JsonDocument::memory_bytes() const {
  return tree_->nodes.size() * sizeof(JsonNode) + tree_->text.size() + sizeof(JsonTree);
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace plimsoll::base
