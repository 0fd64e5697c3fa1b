// Where command lists go to run.
#pragma once

#include <chrono>
#include <cstdint>

#include "hal/command_list.h"
#include "hal/status.h"

namespace plimsoll::hal {

// Counts the submissions of a queue, from 1. Tickets are done in order: one that is done says that all before it are.
// 0: nothing, always done.
using Ticket = uint64_t;

// Thread-safe: submissions are ordered by the calls' order; waits may run beside them.
class Queue {
 public:
  Queue() = default;
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Sends a list. It starts when the ticket `after` is done, and may otherwise run at the same time as earlier ones.
  // Never waits for the host or the device. The list must live until its ticket is done. kOk sets `out`; kLost and
  // kDenied leave the queue as it was.
  virtual Status submit(CommandList& list, Ticket after, Ticket& out) = 0;

  // The latest ticket that is done.
  virtual Ticket completed() const noexcept = 0;
  bool done(Ticket ticket) const noexcept { return ticket <= completed(); }

  // kOk when done, kTimedOut at the deadline, kLost when the device was lost before.
  virtual Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) = 0;
};

}  // namespace plimsoll::hal
