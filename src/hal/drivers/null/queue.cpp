#include "hal/drivers/null/queue.h"

#include "hal/drivers/null/command_list.h"

namespace plimsoll::hal::null {

Status Queue::submit(hal::CommandList& list, Ticket, Ticket& out) {
  const std::lock_guard lock(mutex_);
  static_cast<CommandList&>(list).run();
  out = completed() + 1;
  completed_.store(out, std::memory_order_release);
  changed_.notify_all();
  return Status::kOk;
}

Status Queue::wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) {
  if (done(ticket)) return Status::kOk;
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return done(ticket); }) ? Status::kOk : Status::kTimedOut;
}

}  // namespace plimsoll::hal::null
