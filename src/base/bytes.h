// Sizes in bytes as people write them: 24.5GiB, 512MiB, 1048576.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::base {

// Reads a decimal number with an optional fraction and one of the units B, KiB, MiB, GiB, TiB (in any case), or plain
// bytes. Nothing for all else: signs, spaces, exponents, decimal units (KB), a fraction of plain bytes, more than 64
// bits.
std::optional<uint64_t> parse_bytes(std::string_view text);

// One decimal at most, in the largest unit that keeps the number at 1 or more: "24.5GiB", "512MiB", "1023B".
// Rounded to the nearest tenth of the unit.
std::string format_bytes(uint64_t bytes);

}  // namespace plimsoll::base
