// Any bytes either parse or give FileError; what parsed can be read to the last byte.
#include <cstddef>
#include <cstdint>
#include <span>

#include "plimsoll/errors.h"

#include "io/gguf.h"

namespace {

using plimsoll::io::GgufFile;

unsigned touch(std::span<const std::byte> bytes) {
  unsigned sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<unsigned>(byte);
  return sum;
}

void read_all(const GgufFile& file) {
  volatile size_t sink = 0;
  for (const auto& [key, value] : file.metadata()) {
    sink = sink + value.text().size() + (file.find(key) == &value ? 1 : 0);
    if (const auto strings = value.as_strings()) {
      for (const std::string_view text : *strings) sink = sink + touch(std::as_bytes(std::span(text)));
    }
  }
  for (const auto& tensor : file.tensors()) {
    sink = sink + touch(file.tensor_bytes(tensor)) + tensor.shape().size() +
           (file.find_tensor(tensor.name) == &tensor ? 1 : 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    read_all(plimsoll::io::parse_gguf(std::as_bytes(std::span(data, size)), "fuzz.gguf"));
  } catch (const plimsoll::FileError&) {
    // The expected end of a malformed file.
  }
  return 0;
}
