// Writes GGUF version 3 files: small models for tests and tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/ggml_type.h"
#include "io/gguf_value.h"

namespace plimsoll::io {

// Collects metadata and tensors, then gives the file. Keys and names must be new and obey the limits of gguf.h;
// dimensions are in the order of the file, fastest first.
class GgufWriter {
 public:
  template <typename T>
  void add(std::string_view key, T value) {
    begin_entry(key, gguf_type_of<T>());
    append(entries_, value);
  }
  void add(std::string_view key, std::string_view text);
  void add(std::string_view key, const char* text) { add(key, std::string_view(text)); }
  void add_strings(std::string_view key, std::span<const std::string> texts);

  template <typename T>
  void add_array(std::string_view key, std::span<const T> values) {
    begin_array(key, gguf_type_of<T>(), values.size());
    append_bytes(entries_, std::as_bytes(values));
  }

  // Copies the bytes. std::invalid_argument if they are not as many as type and dimensions need.
  void add_tensor(std::string_view name, GgmlType type, std::span<const uint64_t> dims,
                  std::span<const std::byte> bytes);

  std::vector<std::byte> serialize() const;

  // Writes the file atomically; WriteError if that fails.
  void save(const std::string& path) const;

 private:
  using Bytes = std::vector<std::byte>;

  template <typename T>
  static void append(Bytes& out, T value) {
    append_bytes(out, std::as_bytes(std::span(&value, 1)));
  }
  static void append_bytes(Bytes& out, std::span<const std::byte> bytes);
  static void append_text(Bytes& out, std::string_view text);
  static void pad(Bytes& out);

  void begin_entry(std::string_view key, GgufType type);
  void begin_array(std::string_view key, GgufType element_type, uint64_t count);

  uint64_t keys_ = 0;
  uint64_t tensors_ = 0;
  Bytes entries_;
  Bytes infos_;
  Bytes data_;
};

}  // namespace plimsoll::io
