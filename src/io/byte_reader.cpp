#include "io/byte_reader.h"

#include <fmt/format.h>

#include "plimsoll/errors.h"

#include "base/quote.h"

namespace plimsoll::io {

std::string Field::text() const {
  return name.empty() ? std::string(kind) : fmt::format("{} {}", kind, base::quote(name));
}

void ByteReader::fail(const Field& field, const std::string& what) const {
  throw FileError(path_, fmt::format("{}: {}", field.text(), what));
}

std::span<const std::byte> ByteReader::take(uint64_t bytes, const Field& field) {
  if (bytes > remaining()) {
    fail(field,
         fmt::format("{} bytes at offset {} do not fit in the file of {} bytes", bytes, position_, bytes_.size()));
  }
  const auto taken = bytes_.subspan(position_, bytes);
  position_ += bytes;
  return taken;
}

std::string_view ByteReader::read_string(const Field& field) {
  const auto length = read<uint64_t>(field);
  if (length > remaining()) {
    fail(field, fmt::format("string length {} at offset {} does not fit in the file of {} bytes", length,
                            position_ - sizeof(length), bytes_.size()));
  }
  const auto text = take(length, field);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace plimsoll::io
