// GPT-2's spelling of bytes as characters: printable ones of Latin-1 as themselves, the others from U+0100 on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::text {

// The bytes that a byte-level token spells; nothing if a character of it spells no byte.
std::optional<std::string> bytes_of_byte_level(std::string_view token);

}  // namespace plimsoll::text
