// A board for tests on which work finishes when told to.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/use.h"

namespace plimsoll::memory {

// Work on a stream has finished up to a ticket. Not thread-safe against finish.
class FakeBoard final : public UseBoard {
 public:
  // All work counts as finished.
  void finish_everything() noexcept { everything_ = true; }

  void finish(Use use) {
    if (use.stream >= finished_.size()) finished_.resize(use.stream + 1);
    if (finished_[use.stream] < use.ticket) finished_[use.stream] = use.ticket;
  }

  bool done(Use use) const noexcept override {
    return everything_ || use.ticket == 0 || (use.stream < finished_.size() && finished_[use.stream] >= use.ticket);
  }

 private:
  std::vector<uint64_t> finished_;
  bool everything_ = false;
};

}  // namespace plimsoll::memory
