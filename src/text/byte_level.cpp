#include "text/byte_level.h"

#include <array>
#include <cstdint>

#include "text/utf8.h"

namespace plimsoll::text {

namespace {

constexpr bool spells_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr int kAlphabetEnd = 0x144;

// Byte spelled by each character below kAlphabetEnd, or -1.
constexpr std::array<int16_t, kAlphabetEnd> make_byte_of_character() {
  std::array<int16_t, kAlphabetEnd> table{};
  table.fill(-1);
  int next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const int character = spells_itself(byte) ? byte : next++;
    table[static_cast<size_t>(character)] = static_cast<int16_t>(byte);
  }
  return table;
}

constexpr auto kByteOfCharacter = make_byte_of_character();

}  // namespace

std::optional<std::string> bytes_of_byte_level(std::string_view token) {
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    const Utf8Unit unit = utf8_unit(token, at);
    if (unit.kind != Utf8Unit::Kind::kCharacter || unit.value >= kAlphabetEnd) return std::nullopt;
    const int16_t byte = kByteOfCharacter[unit.value];
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
    at += unit.size;
  }
  return bytes;
}

}  // namespace plimsoll::text
