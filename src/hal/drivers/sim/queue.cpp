#include "hal/drivers/sim/queue.h"

#include <algorithm>
#include <utility>

#include "hal/drivers/sim/command_list.h"

namespace plimsoll::hal::sim {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Nanoseconds from now to the deadline, at least 0.
Time patience_until(SteadyClock::time_point deadline) {
  const auto now = SteadyClock::now();
  if (deadline <= now) return 0;
  return static_cast<Time>(std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - now).count());
}

}  // namespace

Queue::Queue(const Machine& machine, Memory& memory) : machine_(machine), memory_(memory), timeline_(machine.engines) {}

Status Queue::submit(hal::CommandList& list, Ticket after, Ticket& out) {
  const std::lock_guard lock(mutex_);
  const uint64_t submission = ++submissions_;
  if (lost()) return Status::kLost;
  CommandList& mine = static_cast<CommandList&>(list);
  const Time start = timeline_.start_of(after);
  const Span span = timeline_.add(start, end_of(mine, submission, start));
  sent_.push_back({&mine, !schedule_.drop_writes.has(submission)});
  out = timeline_.submitted();
  record(mine, after, span);
  move_to(timeline_.now());
  return Status::kOk;
}

// When the list ends by the machine's numbers and rules; settles its timestamps.
Time Queue::end_of(CommandList& list, uint64_t submission, Time start) {
  const double paged = machine_.paged_share(memory_.used());
  const Time length = list.measure(machine_, schedule_, schedule_.factor_of(submission), paged);
  list.start_at(start);
  if (schedule_.hang.has(submission)) return kNever;
  if (schedule_.lose_device.has(submission)) {
    timeline_.lose_at(start);
    return kNever;
  }
  const double kill = machine_.info.kill_seconds;
  if (kill > 0 && length > from_seconds(kill)) {
    timeline_.lose_at(sum(start, from_seconds(kill)));
    return kNever;
  }
  return sum(start, length);
}

void Queue::record(const CommandList& list, Ticket after, const Span& span) {
  Record record{timeline_.submitted(), after, timeline_.now(), span.start, span.end, 0, 0, {}};
  record.dispatches = list.count(Command::Kind::kDispatch);
  record.barriers = list.count(Command::Kind::kBarrier);
  for (const Command& command : list.commands()) {
    record.cost.operations += command.cost.operations;
    record.cost.bytes += command.cost.bytes;
  }
  if (history_.size() == kMaxHistory) history_.pop_front();
  history_.push_back(record);
}

// Moves the clock, makes the writes of what ends by then, and tells who waits.
void Queue::move_to(Time time) {
  timeline_.advance_to(time);
  while (timeline_.next() != 0 && timeline_.done_at(timeline_.next()) <= timeline_.now()) {
    if (sent_.front().writes) sent_.front().list->make_writes(memory_);
    sent_.pop_front();
    timeline_.retire_next();
  }
  completed_.store(timeline_.completed(), std::memory_order_release);
  lost_.store(timeline_.lost(), std::memory_order_release);
  changed_.notify_all();
}

Status Queue::wait(Ticket ticket, SteadyClock::time_point deadline) {
  std::unique_lock lock(mutex_);
  while (!settled(ticket)) {
    if (clock_ == Clock::kOnWait && ticket <= timeline_.submitted()) return wait_on_clock(ticket, deadline);
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) break;
  }
  if (done(ticket)) return Status::kOk;
  return lost() ? Status::kLost : Status::kTimedOut;
}

Status Queue::wait_on_clock(Ticket ticket, SteadyClock::time_point deadline) {
  // A wait without end for what never comes ends all the same.
  const Time longest = from_seconds(3600);
  const Time done_at = timeline_.done_at(ticket);
  const Time patience = patience_until(deadline);
  const Time limit = sum(timeline_.now(), done_at == kNever ? std::min(patience, longest) : patience);
  move_to(std::min(done_at, limit));
  if (done(ticket)) return Status::kOk;
  return lost() ? Status::kLost : Status::kTimedOut;
}

void Queue::set_clock(Clock clock) {
  const std::lock_guard lock(mutex_);
  clock_ = clock;
  changed_.notify_all();
}

void Queue::advance(Time length) {
  const std::lock_guard lock(mutex_);
  move_to(sum(timeline_.now(), length));
}

void Queue::finish(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  finish_locked(ticket);
}

void Queue::finish_all() {
  const std::lock_guard lock(mutex_);
  finish_locked(timeline_.submitted());
}

void Queue::finish_locked(Ticket ticket) {
  const Time until = std::min(timeline_.done_at(ticket), timeline_.lost_at());
  if (until != kNever) move_to(until);
}

Time Queue::now() const {
  const std::lock_guard lock(mutex_);
  return timeline_.now();
}

void Queue::set_schedule(Schedule schedule) {
  const std::lock_guard lock(mutex_);
  schedule_ = std::move(schedule);
}

uint64_t Queue::submissions() const {
  const std::lock_guard lock(mutex_);
  return submissions_;
}

std::vector<Record> Queue::history() const {
  const std::lock_guard lock(mutex_);
  return {history_.begin(), history_.end()};
}

}  // namespace plimsoll::hal::sim
