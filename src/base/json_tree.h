// How a parsed JSON text is stored: private to the parser and its accessors.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace plimsoll::base {

struct JsonNode {
  uint64_t payload;  // bool, integer or double by its bits; place of the text; index of the first child
  uint32_t size;     // bytes of the text, elements, or members
  JsonKind kind;     // kUnsigned only for integers above the int64 range
};

// Children of an array stand side by side; those of an object as key, value, key, value.
struct JsonTree {
  std::string path;
  std::vector<JsonNode> nodes;
  std::string text;  // of all strings and keys
  size_t root = 0;

  std::string_view text_of(const JsonNode& node) const {
    return std::string_view(text).substr(node.payload, node.size);
  }
};

}  // namespace plimsoll::base
