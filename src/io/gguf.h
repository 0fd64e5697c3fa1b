// GGUF model files, version 2 and 3, little-endian: an index over bytes that stay where they are.
//
// The bytes are not trusted. parse_gguf() checks every count, length and range against the real size before use and
// refuses the file with FileError, naming file and field; what it returns can be read without further checks.
// The format: docs/formats/gguf.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/ggml_type.h"
#include "io/gguf_value.h"

namespace plimsoll::io {

// What a file may hold at most; real files stay far below.
inline constexpr uint64_t kMaxGgufKeys = uint64_t{1} << 16;
inline constexpr uint64_t kMaxGgufTensors = uint64_t{1} << 20;
inline constexpr size_t kMaxGgufKeyBytes = 65535;
inline constexpr size_t kMaxGgufTensorNameBytes = 64;
inline constexpr uint32_t kMaxGgufDims = 4;
inline constexpr uint32_t kDefaultGgufAlignment = 32;

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

struct GgufTensor {
  std::string_view name;
  GgmlType type;
  uint32_t n_dims;                          // 0 for a scalar
  std::array<uint64_t, kMaxGgufDims> dims;  // as stored, fastest dimension first; 1 beyond n_dims; each fits int32
  uint64_t offset;                          // from the start of the file, a multiple of the alignment
  uint64_t bytes;                           // 0 for a tensor without elements

  // Dimensions in row-major order, slowest first: the order of an array's shape.
  std::vector<int32_t> shape() const;
};

// Index of one file. Names, keys and values point into the bytes it was parsed from, which must outlive it.
class GgufFile {
 public:
  const std::string& path() const { return path_; }
  uint32_t version() const { return version_; }
  uint32_t alignment() const { return alignment_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // In the order of the file.
  const std::vector<GgufEntry>& metadata() const { return metadata_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }

  // The value or tensor of this name; nullptr if there is none.
  const GgufValue* find(std::string_view key) const;
  const GgufTensor* find_tensor(std::string_view name) const;

  // FileError if there is none.
  const GgufValue& value(std::string_view key) const;
  const GgufTensor& tensor(std::string_view name) const;

  std::span<const std::byte> tensor_bytes(const GgufTensor& tensor) const {
    return bytes_.subspan(tensor.offset, tensor.bytes);
  }

  // Values by type; FileError naming key, expected type and found type. An integer may be stored in any integer type,
  // as long as the value fits; a float as f32 or f64; elements of arrays only in exactly the type asked for.
  bool get_bool(std::string_view key) const;
  uint32_t get_u32(std::string_view key) const;
  int32_t get_i32(std::string_view key) const;
  uint64_t get_u64(std::string_view key) const;
  float get_f32(std::string_view key) const;
  std::string_view get_string(std::string_view key) const;
  GgufStrings get_strings(std::string_view key) const;

  template <typename T>
  GgufArray<T> get_array(std::string_view key) const {
    const auto array = value(key).as_array<T>();
    if (!array) wrong_type(key, "array of " + std::string(name(gguf_type_of<T>())));
    return *array;
  }

  // The same, with a value for a missing key. One of a wrong type is refused all the same.
  bool get_bool(std::string_view key, bool fallback) const { return find(key) ? get_bool(key) : fallback; }
  uint32_t get_u32(std::string_view key, uint32_t fallback) const { return find(key) ? get_u32(key) : fallback; }
  float get_f32(std::string_view key, float fallback) const { return find(key) ? get_f32(key) : fallback; }
  std::string_view get_string(std::string_view key, std::string_view fallback) const {
    return find(key) ? get_string(key) : fallback;
  }

  // Refuses a tensor whose type Plimsoll does not compute with; FileError names tensor and type.
  void require_computed(const GgufTensor& tensor) const;
  void require_all_computed() const;

 private:
  friend class GgufParser;
  GgufFile() = default;

  [[noreturn]] void wrong_type(std::string_view key, const std::string& expected) const;

  std::string path_;
  std::span<const std::byte> bytes_;
  uint32_t version_ = 0;
  uint32_t alignment_ = kDefaultGgufAlignment;
  std::vector<GgufEntry> metadata_;
  std::vector<GgufTensor> tensors_;
  std::vector<uint32_t> keys_by_name_;     // indices into metadata_, sorted by key
  std::vector<uint32_t> tensors_by_name_;  // indices into tensors_, sorted by name
};

// Parses and checks a whole file; `path` only names it in messages.
GgufFile parse_gguf(std::span<const std::byte> bytes, const std::string& path);

}  // namespace plimsoll::io
