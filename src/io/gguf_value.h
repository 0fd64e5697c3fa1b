// Metadata values of a GGUF file: views into its bytes, so that a vocabulary of 260,000 tokens costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace plimsoll::io {

// Numbers as stored in files.
enum class GgufType : uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

// "u8", "string", "array" ...; "unknown" for a number that the format does not define.
std::string_view name(GgufType type);

// Bytes of a value of fixed size; 0 for strings, arrays and unknown types.
size_t fixed_bytes(GgufType type);

template <typename T>
constexpr GgufType gguf_type_of() {
  if constexpr (std::is_same_v<T, uint8_t>) return GgufType::kUint8;
  if constexpr (std::is_same_v<T, int8_t>) return GgufType::kInt8;
  if constexpr (std::is_same_v<T, uint16_t>) return GgufType::kUint16;
  if constexpr (std::is_same_v<T, int16_t>) return GgufType::kInt16;
  if constexpr (std::is_same_v<T, uint32_t>) return GgufType::kUint32;
  if constexpr (std::is_same_v<T, int32_t>) return GgufType::kInt32;
  if constexpr (std::is_same_v<T, float>) return GgufType::kFloat32;
  if constexpr (std::is_same_v<T, bool>) return GgufType::kBool;
  if constexpr (std::is_same_v<T, uint64_t>) return GgufType::kUint64;
  if constexpr (std::is_same_v<T, int64_t>) return GgufType::kInt64;
  if constexpr (std::is_same_v<T, double>) return GgufType::kFloat64;
}

// Array of numbers or bools; elements may stand at any address, so they are copied out one by one.
template <typename T>
class GgufArray {
 public:
  explicit GgufArray(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size() / sizeof(T); }

  // Requires index < size().
  T operator[](size_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + index * sizeof(T), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

// Array of strings, read from front to back: for (std::string_view token : strings).
class GgufStrings {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    explicit Iterator(const std::byte* at) : at_(at) {}
    std::string_view operator*() const { return {reinterpret_cast<const char*>(at_) + sizeof(uint64_t), length()}; }
    Iterator& operator++() {
      at_ += sizeof(uint64_t) + length();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    size_t length() const {
      uint64_t length;
      std::memcpy(&length, at_, sizeof(length));
      return length;
    }

    const std::byte* at_;
  };

  // Requires that `bytes` are exactly `count` strings, each with its length of 64 bits before it.
  GgufStrings(std::span<const std::byte> bytes, size_t count) : bytes_(bytes), count_(count) {}

  size_t size() const { return count_; }
  Iterator begin() const { return Iterator(bytes_.data()); }
  Iterator end() const { return Iterator(bytes_.data() + bytes_.size()); }

 private:
  std::span<const std::byte> bytes_;
  size_t count_;
};

// One value, checked when the file was parsed: its bytes are in the file and fit its type.
struct GgufValue {
  GgufType type;
  GgufType element_type;             // of an array; equal to `type` otherwise
  uint64_t count;                    // elements of an array; 1 otherwise
  std::span<const std::byte> bytes;  // of the number, the text or all elements

  bool is_integer() const;

  // Value of any integer type where it is in range of int64 or uint64; nothing for other types or out of range.
  std::optional<int64_t> as_int() const;
  std::optional<uint64_t> as_uint() const;

  std::optional<double> as_float() const;  // f32 or f64
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;
  std::optional<GgufStrings> as_strings() const;

  template <typename T>
  std::optional<GgufArray<T>> as_array() const {
    if (type != GgufType::kArray || element_type != gguf_type_of<T>()) return std::nullopt;
    return GgufArray<T>(bytes);
  }

  // "u32", "array of string"
  std::string type_text() const;

  // The value for people: text is quoted and cut, of an array the first `max_elements` are shown.
  std::string text(size_t max_elements = 4) const;
};

}  // namespace plimsoll::io
