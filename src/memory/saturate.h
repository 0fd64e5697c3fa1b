// Sums of sizes that stop at SIZE_MAX, so that a request near the end of the range is refused and never wraps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::memory {

constexpr size_t saturating_add(size_t a, size_t b) noexcept { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

// The smallest multiple of `granularity`, a power of two, that holds `bytes`; SIZE_MAX where there is none.
constexpr size_t saturating_round_up(size_t bytes, size_t granularity) noexcept {
  return bytes > SIZE_MAX - (granularity - 1) ? SIZE_MAX : (bytes + granularity - 1) & ~(granularity - 1);
}

}  // namespace plimsoll::memory
