// The virtual clock, and where on it the lists of a queue lie.
//
// A list starts at the latest of: now, the end of everything that its `after` ticket says is done, and the moment the
// first of the engines is free. Tickets are done in order: a list that ends before an earlier one is done with it. The
// clock stands still but for advance_to.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "hal/drivers/sim/time.h"
#include "hal/queue.h"

namespace plimsoll::hal::sim {

struct Span {
  Time start = 0;
  Time end = 0;   // kNever: it hangs, or the device is lost first
  Time done = 0;  // the latest end up to here
};

class Timeline {
 public:
  explicit Timeline(unsigned engines) : free_at_(engines, 0) {}

  Time now() const { return now_; }
  Ticket submitted() const { return completed_ + spans_.size(); }
  Ticket completed() const { return completed_; }
  bool lost() const { return now_ >= lost_at_; }
  Time lost_at() const { return lost_at_; }

  // When a list submitted now would start.
  Time start_of(Ticket after) const;

  // Places the next list: from `start` to `end`, which may be kNever.
  const Span& add(Time start, Time end);

  // What is not done at `time` never will be. The earliest call counts.
  void lose_at(Time time);

  // When `ticket`, submitted before, is done; kNever if it will not be.
  Time done_at(Ticket ticket) const;

  // Moves the clock forward; a moment in the past leaves it. Stops where the device is lost.
  void advance_to(Time time);

  // The earliest ticket that is not done, or 0 when all are done.
  Ticket next() const { return spans_.empty() ? 0 : completed_ + 1; }
  // Counts next() as done. pre: done_at(next()) <= now().
  void retire_next();

 private:
  size_t first_free_engine() const;

  std::vector<Time> free_at_;  // of each engine
  std::deque<Span> spans_;     // of the tickets completed_ + 1, + 2, ...
  Ticket completed_ = 0;
  Time last_done_ = 0;
  Time now_ = 0;
  Time lost_at_ = kNever;
};

}  // namespace plimsoll::hal::sim
