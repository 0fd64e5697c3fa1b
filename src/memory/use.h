// The last use of a buffer: what must finish before its bytes may be given away.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace plimsoll::memory {

// Work on a stream, up to and including a ticket. Tickets of a stream rise in encode order.
struct Use {
  uint32_t stream = 0;
  uint64_t ticket = 0;  // 0: nothing in flight

  friend bool operator==(const Use&, const Use&) = default;
};

// Knows which work has finished. The runtime implements it.
class UseBoard {
 public:
  virtual ~UseBoard() = default;

  // Whether `use` has finished; true for ticket 0, and once true, true for good. Lock-free: pools call it under their
  // lock.
  virtual bool done(Use use) const noexcept = 0;
};

// Adds `use` to a list that holds at most one use per stream: the latest.
inline void add_use(std::vector<Use>& uses, Use use) {
  if (use.ticket == 0) return;
  for (Use& known : uses) {
    if (known.stream == use.stream) {
      known.ticket = std::max(known.ticket, use.ticket);
      return;
    }
  }
  uses.push_back(use);
}

}  // namespace plimsoll::memory
