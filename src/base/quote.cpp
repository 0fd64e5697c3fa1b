#include "base/quote.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace plimsoll::base {
namespace {

std::string escaped_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n') return "\\n";
  if (c == '\'' || c == '\\') return {'\\', c};
  if (byte < 0x20 || byte >= 0x7f) return fmt::format("\\x{:02x}", byte);
  return {c};
}

}  // namespace

std::string quote(std::string_view text, size_t max_bytes) {
  std::string out = "'";
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = std::max<size_t>(1, utf8_character_bytes(text.substr(at)));
    if (at + bytes > max_bytes) return out + "...'";
    out += bytes == 1 ? escaped_byte(text[at]) : std::string(text.substr(at, bytes));
    at += bytes;
  }
  return out + "'";
}

}  // namespace plimsoll::base
