// Text of unknown origin, made safe to stand in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::base {

// `text` in single quotes. Control characters and quotes are escaped (\n, \x1b, \'); what lies beyond `max_bytes` is
// cut, at a character boundary of UTF-8, and shown as "...".
std::string quote(std::string_view text, size_t max_bytes = 80);

}  // namespace plimsoll::base
