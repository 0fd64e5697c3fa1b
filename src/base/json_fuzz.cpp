// Any text either parses or gives FileError; what parsed can be walked.
#include <cstddef>
#include <cstdint>

#include "plimsoll/errors.h"

#include "base/json.h"

namespace {

using plimsoll::base::JsonValue;

// Depth is bounded by the parser's limit.
size_t count_values(const JsonValue& value) {
  size_t count = 1;
  for (size_t i = 0; i < value.size(); ++i) {
    count += value.is_array() ? count_values(value.element(i)) : count_values(value.member(i).value);
  }
  if (value.is_string()) count += value.to_string("text").size();
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto document = plimsoll::base::parse_json(text, "fuzz.json");
    volatile size_t sink = count_values(document.root());
    static_cast<void>(sink);
  } catch (const plimsoll::FileError&) {
    // The expected end of a malformed text.
  }
  return 0;
}
