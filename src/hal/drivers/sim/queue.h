// The queue of a simulated device, and its clock.
//
// The clock stands still while the host works: submissions take no time of their own, and completed() only looks. It
// moves, in Clock::kOnWait, when someone waits: to the moment at which the ticket is done, or to the end of the
// waiter's patience, whichever comes first, with no real time spent. (The time from the call to its deadline is the
// patience, so a hung device times out at once, and a deadline in the past only asks.) In Clock::kManual only advance()
// moves it, and waits block for real: a test holds the device still while threads encode and wait, then lets it run.
//
// Only waits for a ticket that nobody has submitted yet block for real in both.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "hal/drivers/sim/machine.h"
#include "hal/drivers/sim/memory.h"
#include "hal/drivers/sim/schedule.h"
#include "hal/drivers/sim/timeline.h"
#include "hal/queue.h"

namespace plimsoll::hal::sim {

class CommandList;

enum class Clock : uint8_t { kOnWait, kManual };

// A submission that was accepted.
struct Record {
  Ticket ticket = 0;
  Ticket after = 0;
  Time submitted = 0;
  Time start = 0;
  Time end = 0;  // kNever: hung or killed
  size_t dispatches = 0;
  size_t barriers = 0;
  Cost cost;  // of its dispatches
};

class Queue final : public hal::Queue {
 public:
  // Both outlive the queue.
  Queue(const Machine& machine, Memory& memory);

  Status submit(hal::CommandList& list, Ticket after, Ticket& out) override;
  Ticket completed() const noexcept override { return completed_.load(std::memory_order_acquire); }
  Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) override;

  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }

  void set_clock(Clock clock);
  // Lets time pass.
  void advance(Time length);
  // Lets time pass until `ticket`, submitted before, is done, or the device is lost; nothing happens if neither will
  // be.
  void finish(Ticket ticket);
  void finish_all();  // that was submitted
  Time now() const;

  void set_schedule(Schedule schedule);
  // Calls of submit so far, refused ones included.
  uint64_t submissions() const;

  // The last kMaxHistory accepted submissions, oldest first.
  static constexpr size_t kMaxHistory = 4096;
  std::vector<Record> history() const;

 private:
  struct Sent {
    CommandList* list;
    bool writes;
  };

  Time end_of(CommandList& list, uint64_t submission, Time start);
  void record(const CommandList& list, Ticket after, const Span& span);
  Status wait_on_clock(Ticket ticket, std::chrono::steady_clock::time_point deadline);
  void move_to(Time time);
  void finish_locked(Ticket ticket);
  bool settled(Ticket ticket) const { return done(ticket) || lost(); }

  const Machine& machine_;
  Memory& memory_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Timeline timeline_;
  std::deque<Sent> sent_;  // beside the timeline's spans
  Schedule schedule_;
  Clock clock_ = Clock::kOnWait;
  uint64_t submissions_ = 0;
  std::deque<Record> history_;
  std::atomic<Ticket> completed_ = 0;
  std::atomic<bool> lost_ = false;
};

}  // namespace plimsoll::hal::sim
