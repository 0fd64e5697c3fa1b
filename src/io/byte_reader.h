// Reads little-endian values from untrusted bytes, one after the other; nothing is read before its range is checked.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll::io {

static_assert(std::endian::native == std::endian::little, "the file formats are read as little-endian memory");

// What is being read, for messages: "header", or "metadata key" with a name. Costs nothing until an error shows it.
struct Field {
  std::string_view kind;
  std::string_view name = {};

  std::string text() const;
};

class ByteReader {
 public:
  // `path` names the file in messages. Both must outlive the reader.
  ByteReader(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }

  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  T read(const Field& field) {
    T value;
    std::memcpy(&value, take(sizeof(T), field).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> take(uint64_t bytes, const Field& field);

  // A length of 64 bits and that many bytes.
  std::string_view read_string(const Field& field);

  // FileError "[path] <field>: <what>".
  [[noreturn]] void fail(const Field& field, const std::string& what) const;

 private:
  std::span<const std::byte> bytes_;
  const std::string& path_;
  uint64_t position_ = 0;
};

}  // namespace plimsoll::io
