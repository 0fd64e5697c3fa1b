#include "base/quote.h"

#include <fmt/format.h>

namespace plimsoll::base {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\'' || c == '\\') {
    out += '\\';
    out += c;
  } else if (byte < 0x20 || byte == 0x7f) {
    out += fmt::format("\\x{:02x}", byte);
  } else {
    out += c;
  }
}

}  // namespace

std::string quote(std::string_view text, size_t max_bytes) {
  size_t shown = text.size();
  if (shown > max_bytes) {
    shown = max_bytes;
    while (shown > 0 && continues_character(text[shown])) --shown;
  }
  std::string out = "'";
  for (const char c : text.substr(0, shown)) append_escaped(out, c);
  out += shown < text.size() ? "...'" : "'";
  return out;
}

}  // namespace plimsoll::base
