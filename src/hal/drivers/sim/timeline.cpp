#include "hal/drivers/sim/timeline.h"

#include <algorithm>

namespace plimsoll::hal::sim {

size_t Timeline::first_free_engine() const {
  return static_cast<size_t>(std::min_element(free_at_.begin(), free_at_.end()) - free_at_.begin());
}

Time Timeline::start_of(Ticket after) const {
  const Time ordered = after > completed_ ? spans_[after - completed_ - 1].done : 0;
  return std::max({now_, ordered, free_at_[first_free_engine()]});
}

const Span& Timeline::add(Time start, Time end) {
  free_at_[first_free_engine()] = end;
  last_done_ = std::max(last_done_, end);
  return spans_.emplace_back(Span{start, end, last_done_});
}

void Timeline::lose_at(Time time) { lost_at_ = std::min(lost_at_, std::max(time, now_)); }

Time Timeline::done_at(Ticket ticket) const {
  if (ticket <= completed_) return now_;
  const Time done = spans_[ticket - completed_ - 1].done;
  return done <= lost_at_ ? done : kNever;
}

void Timeline::advance_to(Time time) { now_ = std::max(now_, std::min(time, lost_at_)); }

void Timeline::retire_next() {
  spans_.pop_front();
  ++completed_;
}

}  // namespace plimsoll::hal::sim
