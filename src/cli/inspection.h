// What stands in a model file or folder, free of its format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plimsoll/array.h"

namespace plimsoll::cli {

struct InspectedTensor {
  std::string name;
  std::string type;  // a dtype's name, or the format's own for GGUF ("Q4_K")
  Shape shape;
  uint64_t nbytes = 0;
  bool usable = true;  // false: of a type that is listed only
};

struct InspectedEntry {
  std::string key;
  std::string type;  // empty where the format has none
  std::string value;
};

struct Inspection {
  std::string path = {};
  std::string format = {};  // "GGUF 3", "safetensors", "model folder"
  uint64_t nbytes = 0;
  std::string quantization = {};  // of a folder: "affine, 4 bits, groups of 64"; empty: none, or the types say it
  std::vector<InspectedEntry> metadata = {};
  std::vector<InspectedTensor> tensors = {};  // by name
};

// By what the path is: a folder, a file that ends in .safetensors, and GGUF otherwise. FileError, naming file and
// field, for what is malformed.
Inspection inspect(const std::string& path);

}  // namespace plimsoll::cli
