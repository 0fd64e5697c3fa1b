// Any bytes either parse or give FileError; what parsed can be read to the last byte.
#include <cstddef>
#include <cstdint>
#include <span>

#include "plimsoll/errors.h"

#include "io/safetensors.h"

namespace {

void read_all(const plimsoll::io::SafetensorsFile& file) {
  volatile size_t sink = 0;
  for (const auto& tensor : file.tensors()) {
    for (const std::byte byte : file.tensor_bytes(tensor)) sink = sink + std::to_integer<size_t>(byte);
    sink = sink + (file.find(tensor.name) == &tensor ? 1 : 0);
  }
}

template <typename Parse>
void expect_file_error_at_most(Parse parse) {
  try {
    parse();
  } catch (const plimsoll::FileError&) {
    // The expected end of a malformed file.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expect_file_error_at_most([&] { read_all(plimsoll::io::parse_safetensors(bytes, "fuzz.safetensors")); });
  expect_file_error_at_most([&] { plimsoll::io::parse_safetensors_index(text, "fuzz.index.json"); });
  return 0;
}
