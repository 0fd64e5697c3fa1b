#include "base/utf8.h"

#include <cstdint>

namespace plimsoll::base {
namespace {

uint8_t byte_at(std::string_view text, size_t index) { return static_cast<uint8_t>(text[index]); }

// Length that a first byte announces, and the range its second byte must be in (Unicode, table 3-7).
struct Lead {
  size_t bytes;
  uint8_t lowest_second;
  uint8_t highest_second;
};

Lead lead_of(uint8_t first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xc2) return {0, 0, 0};
  if (first < 0xe0) return {2, 0x80, 0xbf};
  if (first < 0xf0) {
    return {3, static_cast<uint8_t>(first == 0xe0 ? 0xa0 : 0x80), static_cast<uint8_t>(first == 0xed ? 0x9f : 0xbf)};
  }
  if (first < 0xf5) {
    return {4, static_cast<uint8_t>(first == 0xf0 ? 0x90 : 0x80), static_cast<uint8_t>(first == 0xf4 ? 0x8f : 0xbf)};
  }
  return {0, 0, 0};
}

}  // namespace

size_t utf8_character_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const Lead lead = lead_of(byte_at(text, 0));
  if (lead.bytes <= 1) return lead.bytes;
  if (lead.bytes > text.size()) return 0;
  if (byte_at(text, 1) < lead.lowest_second || byte_at(text, 1) > lead.highest_second) return 0;
  for (size_t i = 2; i < lead.bytes; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  }
  return lead.bytes;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = utf8_character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace plimsoll::base
