// UTF-8 as the standard defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll::base {

// Bytes of the well-formed character that `text` starts with; 0 where it starts with none.
size_t utf8_character_bytes(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace plimsoll::base
