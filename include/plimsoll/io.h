// Model files: safetensors and GGUF.
//
// Files are mapped, not read: opening one checks all of its header against the real file, charges its size to the
// memory limit as mapped (OutOfMemory naming the file when that cannot fit) and makes arrays that refer to the mapping.
// The mapping ends with the last of them. A tensor that does not stand at a multiple of its item size is copied. Loaded
// arrays are never written in place. What is malformed is FileError, naming the file and the field.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"
#include "plimsoll/quantized.h"

namespace plimsoll {

// Tensors by name, and the file's `__metadata__`.
using SafetensorsLoad = std::pair<std::unordered_map<std::string, array>, std::unordered_map<std::string, std::string>>;

SafetensorsLoad load_safetensors(const std::string& file, StreamOrDevice s = {});

// All tensors of a model folder: the files that model.safetensors.index.json names, or model.safetensors. FileError for
// a tensor that the index and the files disagree on. Metadata is that of the last file.
SafetensorsLoad load_safetensors_folder(const std::string& folder);

// Evaluates the arrays and writes them. Readers see the old file or the new one, never a mixture; WriteError otherwise.
void save_safetensors(const std::string& file, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata = {});

struct GgufTensor {
  std::string type;                   // as the format names it: "F16", "Q4_K"
  Shape shape;                        // of the values, row-major: the file's dimensions reversed
  uint64_t nbytes;                    // in the file
  std::optional<BlockFormat> format;  // for types that are computed on as they stand
  // The values; for a block format uint8 [..., rows, bytes of a row]. Nothing for a type that Plimsoll does not compute
  // with: such tensors can be listed only.
  std::optional<array> data;
};

// A GGUF file, version 2 or 3. The texts that it hands out live as long as the file object.
class GgufFile {
 public:
  explicit GgufFile(const std::string& path);
  ~GgufFile();
  GgufFile(GgufFile&&) noexcept;
  GgufFile& operator=(GgufFile&&) noexcept;

  const std::string& path() const;
  uint64_t nbytes() const;
  uint32_t version() const;
  const std::map<std::string, GgufTensor, std::less<>>& tensors() const;

  // Metadata values: nothing where the key is missing, FileError naming the key where it holds another kind of value.
  std::optional<int64_t> find_int(std::string_view key) const;   // of any integer type
  std::optional<double> find_float(std::string_view key) const;  // of any numeric type
  std::optional<bool> find_bool(std::string_view key) const;
  std::optional<std::string_view> find_string(std::string_view key) const;
  std::optional<std::vector<int64_t>> find_ints(std::string_view key) const;
  std::optional<std::vector<float>> find_floats(std::string_view key) const;
  std::optional<std::vector<std::string_view>> find_strings(std::string_view key) const;

  // Every key with its type and its value as people read it; long ones are cut.
  struct Entry {
    std::string key;
    std::string type;  // "u32", "array of string"
    std::string value;
  };
  std::vector<Entry> metadata() const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

inline GgufFile load_gguf(const std::string& file) { return GgufFile(file); }

using GgufMetadata = std::variant<bool, int32_t, uint32_t, int64_t, uint64_t, float, std::string, std::vector<int32_t>,
                                  std::vector<float>, std::vector<std::string>>;

// Evaluates the arrays and writes them as GGUF version 3, atomically as save_safetensors. float32, float16, bfloat16,
// float64 and signed integers can be stored; std::invalid_argument for other dtypes, naming the array.
void save_gguf(const std::string& file, const std::map<std::string, array>& arrays,
               const std::map<std::string, GgufMetadata>& metadata = {});

}  // namespace plimsoll
