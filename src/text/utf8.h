// Characters of UTF-8 text, and what the patterns of tokenizers need to know of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::text {

inline constexpr std::string_view kReplacementCharacter = "\uFFFD";

// What stands at a place in a text: a character, a maximal ill-formed part, or (at the end) the start of a character.
struct Utf8Unit {
  enum class Kind { kCharacter, kIllFormed, kIncomplete };
  Kind kind;
  uint8_t size;    // bytes, at least 1
  char32_t value;  // of a character
};

// Requires at < text.size(). Ill-formed parts are cut as the WHATWG decoder and Python cut them.
Utf8Unit utf8_unit(std::string_view text, size_t at);

bool is_valid_utf8(std::string_view text);

// Appends `text` with U+FFFD for every ill-formed part; an incomplete end counts as one.
void append_repaired(std::string_view text, std::string& out);

void append_utf8(char32_t value, std::string& out);

// Bytes of the character whose first byte is `lead`, in valid text.
inline size_t utf8_length(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The last character of valid, non-empty text.
char32_t last_character(std::string_view text);

bool is_white_space(char32_t c);     // Unicode's White_Space
bool is_numeric(char32_t c);         // Nd, Nl, No
bool is_word_character(char32_t c);  // \w of Unicode's annex 18

// Bytes of white space at either end of valid text.
size_t leading_white_space(std::string_view text);
size_t trailing_white_space(std::string_view text);

}  // namespace plimsoll::text
