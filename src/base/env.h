// Environment variables. Unset and empty mean the same: no value. A value that does not parse is
// std::invalid_argument, naming the variable, what it may hold and what it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::base {

std::optional<std::string> env_string(const char* name);

// A decimal integer in [lowest, highest].
std::optional<int64_t> env_int(const char* name, int64_t lowest, int64_t highest);

// 1, true, yes, on or 0, false, no, off.
std::optional<bool> env_bool(const char* name);

// A size as bytes.h reads it, in bytes.
std::optional<uint64_t> env_bytes(const char* name);

}  // namespace plimsoll::base
