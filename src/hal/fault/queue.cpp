#include "hal/fault/queue.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "plimsoll/errors.h"
#include "hal/fault/command_list.h"

namespace plimsoll::hal::fault {

using SteadyClock = std::chrono::steady_clock;

Status Queue::submit(hal::CommandList& list, Ticket after, Ticket& out) {
  const std::lock_guard order(order_);
  const Plan::Submission plan = plan_.next_submission();
  if (lost()) return Status::kLost;
  if (plan.denied) return Status::kDenied;
  if (plan.refused_as_lost || plan.loses_device) {
    lose();
    if (plan.loses_device) out = submitted_ + 1;
    return plan.loses_device ? Status::kOk : Status::kLost;
  }
  CommandList& mine = static_cast<CommandList&>(list);
  if (plan.dropped) mine.drop();
  const Status status = plan.dropped ? send_empty(after, out) : send(mine.inner(), after, out);
  if (status != Status::kOk) return status;
  const std::lock_guard lock(mutex_);
  submitted_ = out;
  if (plan.delay.count() > 0) delays_.push_back({out, SteadyClock::now() + plan.delay});
  return status;
}

Status Queue::send(hal::CommandList& list, Ticket after, Ticket& out) {
  return inner_.queue().submit(list, after, out);
}

Status Queue::send_empty(Ticket after, Ticket& out) {
  std::erase_if(empty_, [&](const Empty& empty) { return inner_.queue().done(empty.ticket); });
  try {
    Empty empty{0, inner_.new_command_list()};
    const Status status = send(*empty.list, after, out);
    empty.ticket = out;
    if (status == Status::kOk) empty_.push_back(std::move(empty));
    return status;
  } catch (const DeviceError&) {
    return Status::kLost;
  }
}

void Queue::lose() {
  inner_.queue().wait(submitted_, SteadyClock::now() + std::chrono::minutes(1));
  const std::lock_guard lock(mutex_);
  lost_ = true;
  completed_at_loss_ = inner_.queue().completed();
}

bool Queue::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

Ticket Queue::completed() const noexcept {
  const std::lock_guard lock(mutex_);
  if (lost_) return completed_at_loss_;
  const Ticket completed = inner_.queue().completed();
  const TimePoint now = SteadyClock::now();
  const auto late = std::find_if(delays_.begin(), delays_.end(), [&](const Delay& delay) { return delay.until > now; });
  return late == delays_.end() ? completed : std::min(completed, late->ticket - 1);
}

// When the delays of `ticket` and of all before it are over.
Queue::TimePoint Queue::earliest(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  TimePoint earliest = TimePoint::min();
  for (const Delay& delay : delays_) {
    if (delay.ticket <= ticket) earliest = std::max(earliest, delay.until);
  }
  return earliest;
}

Status Queue::wait(Ticket ticket, TimePoint deadline) {
  if (done(ticket)) return Status::kOk;
  if (lost()) return Status::kLost;
  const Status status = inner_.queue().wait(ticket, deadline);
  if (status != Status::kOk) return lost() ? Status::kLost : status;
  std::this_thread::sleep_until(std::min(earliest(ticket), deadline));
  return done(ticket) ? Status::kOk : lost() ? Status::kLost : Status::kTimedOut;
}

}  // namespace plimsoll::hal::fault
