// Which calls of a kind something happens to, counted from 1.
#pragma once

#include <cstdint>

namespace plimsoll::hal {

struct Occasions {
  uint64_t first = 1;
  uint64_t last = 0;  // below `first`: never

  static constexpr Occasions never() { return {}; }
  static constexpr Occasions once(uint64_t call) { return {call, call}; }
  static constexpr Occasions from(uint64_t call) { return {call, UINT64_MAX}; }

  constexpr bool has(uint64_t call) const { return first <= call && call <= last; }
};

}  // namespace plimsoll::hal
