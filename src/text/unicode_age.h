// What the reference does not know of Unicode.
#pragma once

namespace plimsoll::text {

// Whether Unicode gave the character a combining class or a decomposition after version 9, whose tables the reference
// normalizes by: to it, such a character is one that never changes and that no mark moves across.
bool is_inert_to_reference(char32_t c);

}  // namespace plimsoll::text
