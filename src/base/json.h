// JSON from files that nobody vouches for: a parser with limits, and a compact tree of values.
//
// Depth, bytes and number of values are limited, a key given twice in one object is refused, and text must be UTF-8. A
// value costs 16 bytes, plus 16 for its key and the bytes of its text, so that a tokenizer of 250,000 tokens stays at a
// few tens of MiB. All errors are FileError and name the file and the place or field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::base {

struct JsonLimits {
  size_t max_bytes = size_t{256} << 20;
  size_t max_depth = 64;                // of arrays and objects within each other
  size_t max_values = size_t{8} << 20;  // keys included
};

enum class JsonKind : uint8_t { kNull, kBool, kInteger, kUnsigned, kNumber, kString, kArray, kObject };

struct JsonTree;  // defined in json.cpp
struct JsonMember;

// One value of a JsonDocument, cheap to copy; it must not outlive the document.
//
// The to_ functions take the name of the field for their message; the get_ functions look a key up in an object, and
// with a fallback they give it where the key is missing or null.
class JsonValue {
 public:
  JsonValue(const JsonTree* tree, size_t node) : tree_(tree), node_(node) {}

  JsonKind kind() const;
  bool is_null() const { return kind() == JsonKind::kNull; }
  bool is_string() const { return kind() == JsonKind::kString; }
  bool is_array() const { return kind() == JsonKind::kArray; }
  bool is_object() const { return kind() == JsonKind::kObject; }

  // Elements of an array, members of an object; 0 for all else.
  size_t size() const;

  // Element of an array, member of an object in the order of the file. Requires that kind and index.
  JsonValue element(size_t index) const;
  JsonMember member(size_t index) const;

  bool to_bool(std::string_view field) const;
  int64_t to_int(std::string_view field) const;    // a number written without fraction and exponent
  uint64_t to_uint(std::string_view field) const;  // the same, not negative
  double to_double(std::string_view field) const;
  std::string_view to_string(std::string_view field) const;
  JsonValue to_array(std::string_view field) const;   // this, if it is one
  JsonValue to_object(std::string_view field) const;  // this, if it is one

  // Value of a key, by linear search; nothing where the key is missing or this is no object.
  std::optional<JsonValue> find(std::string_view key) const;
  JsonValue at(std::string_view key) const;

  bool get_bool(std::string_view key) const { return at(key).to_bool(key); }
  int64_t get_int(std::string_view key) const { return at(key).to_int(key); }
  double get_double(std::string_view key) const { return at(key).to_double(key); }
  std::string_view get_string(std::string_view key) const { return at(key).to_string(key); }

  bool get_bool(std::string_view key, bool fallback) const;
  int64_t get_int(std::string_view key, int64_t fallback) const;
  double get_double(std::string_view key, double fallback) const;
  std::string_view get_string(std::string_view key, std::string_view fallback) const;

  // FileError about this document: "field '<field>': <what>".
  [[noreturn]] void fail(std::string_view field, const std::string& what) const;

 private:
  std::optional<JsonValue> find_present(std::string_view key) const;  // neither missing nor null
  [[noreturn]] void wrong_kind(std::string_view field, std::string_view expected) const;

  const JsonTree* tree_;
  size_t node_;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

// A parsed text. Immutable, so any thread may read it.
class JsonDocument {
 public:
  explicit JsonDocument(std::unique_ptr<const JsonTree> tree);
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonValue root() const;
  const std::string& path() const;
  size_t memory_bytes() const;  // bytes that the tree fills

 private:
  std::unique_ptr<const JsonTree> tree_;
};

// Parses one JSON text; `path` only names it in messages.
JsonDocument parse_json(std::string_view text, const std::string& path, const JsonLimits& limits = {});

// Reads and parses a file.
JsonDocument load_json(const std::string& path, const JsonLimits& limits = {});

// `text` as a JSON string, quotes included. Requires UTF-8.
std::string json_quoted(std::string_view text);

}  // namespace plimsoll::base
