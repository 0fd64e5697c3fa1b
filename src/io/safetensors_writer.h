// Writes safetensors files: one atomic file, tensors fetched one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/safetensors.h"

namespace plimsoll::io {

struct SafetensorsItem {
  std::string name;
  SafetensorsDtype dtype;
  std::vector<int32_t> shape;  // row-major, slowest first

  // Called once, when this tensor's turn has come; the bytes must stay valid until the next item is asked.
  std::function<std::span<const std::byte>()> bytes;
};

// Writes all items and the metadata to `path`, or leaves what was there whole. Tensors stand in the order of falling
// element size, then of their names, so that each is aligned to its elements.
// WriteError if the file cannot be written; std::invalid_argument for names that are empty, reserved, given twice or
// not UTF-8, and for bytes that do not match shape and dtype. Exceptions of `bytes` pass through.
void write_safetensors(const std::string& path, std::vector<SafetensorsItem> items,
                       const SafetensorsFile::Metadata& metadata = {});

}  // namespace plimsoll::io
