// Text of unknown origin, made safe to stand in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::base {

// `text` in single quotes, valid UTF-8 whatever it was: control characters, quotes, backslashes and bytes that are not
// UTF-8 are escaped (\n, \x1b, \'). What lies beyond `max_bytes` is cut, between characters, and shown as "...".
std::string quote(std::string_view text, size_t max_bytes = 80);

}  // namespace plimsoll::base
