// safetensors files: an index over bytes that stay where they are, and the index of a sharded checkpoint.
//
// The bytes are not trusted. parse_safetensors() checks the header against the real size before anything is used and
// refuses the file with FileError, naming file and field. The format: docs/formats/safetensors.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/safetensors_dtype.h"

namespace plimsoll::io {

inline constexpr uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;  // as the format's reference implementation
inline constexpr size_t kMaxSafetensorsDims = 64;

struct SafetensorsTensor {
  std::string name;
  SafetensorsDtype dtype;
  std::vector<int32_t> shape;  // row-major, slowest first
  uint64_t offset;             // from the start of the file; any multiple of 1, so not aligned to the dtype
  uint64_t bytes;
};

// Index of one file. It refers to the bytes it was parsed from, which must outlive it.
class SafetensorsFile {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  const std::string& path() const { return path_; }

  // In the order of their data.
  const std::vector<SafetensorsTensor>& tensors() const { return tensors_; }

  // What stands under "__metadata__", in the order of the file.
  const Metadata& metadata() const { return metadata_; }

  const SafetensorsTensor* find(std::string_view name) const;    // nullptr if there is none
  const SafetensorsTensor& tensor(std::string_view name) const;  // FileError if there is none

  std::span<const std::byte> tensor_bytes(const SafetensorsTensor& tensor) const {
    return bytes_.subspan(tensor.offset, tensor.bytes);
  }

  // Refuses a tensor whose dtype Plimsoll does not compute with; FileError names tensor and dtype.
  void require_computed(const SafetensorsTensor& tensor) const;

 private:
  friend class SafetensorsParser;
  SafetensorsFile() = default;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::vector<SafetensorsTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices into tensors_, sorted by name
  Metadata metadata_;
};

// Parses and checks a whole file; `path` only names it in messages.
SafetensorsFile parse_safetensors(std::span<const std::byte> bytes, const std::string& path);

// Which file of a sharded checkpoint holds which tensor (model.safetensors.index.json).
struct SafetensorsIndex {
  struct Weight {
    std::string name;
    size_t file;  // index into `files`
  };

  std::vector<std::string> files;  // plain names, sorted, to be looked for beside the index
  std::vector<Weight> weights;     // in the order of the index
};

// Parses the text of an index. A file name that could lead out of the folder is refused.
SafetensorsIndex parse_safetensors_index(std::string_view text, const std::string& path);

}  // namespace plimsoll::io
