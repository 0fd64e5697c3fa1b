#include "hal/check/queue.h"

#include "hal/check/command_list.h"

namespace plimsoll::hal::check {

Status Queue::submit(hal::CommandList& list, Ticket after, Ticket& out) {
  const std::lock_guard order(order_);
  const Ticket seen = seen_.load(std::memory_order_acquire);
  const Status status = prover_ == nullptr ? send(list, after, out) : prove(list, out);
  if (status == Status::kOk) judge_.judge(static_cast<CommandList&>(list).commands(), out, after, seen);
  return status;
}

Status Queue::send(hal::CommandList& list, Ticket after, Ticket& out) {
  return inner_.queue().submit(static_cast<CommandList&>(list).inner(), after, out);
}

Status Queue::prove(hal::CommandList& list, Ticket& out) {
  const Ticket ticket = proven_.load(std::memory_order_relaxed) + 1;
  const Status status = prover_->run(static_cast<CommandList&>(list).commands(), ticket);
  if (status != Status::kOk) return Status::kLost;
  out = ticket;
  proven_.store(ticket, std::memory_order_release);
  return status;
}

Ticket Queue::completed() const noexcept {
  const Ticket ticket = prover_ == nullptr ? inner_.queue().completed() : proven_.load(std::memory_order_acquire);
  note_done(ticket);
  return ticket;
}

Status Queue::wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) {
  Status status = Status::kLost;
  if (prover_ == nullptr) {
    status = inner_.queue().wait(ticket, deadline);
  } else if (ticket <= proven_.load(std::memory_order_acquire)) {
    status = Status::kOk;
  }
  if (status == Status::kOk) note_done(ticket);
  report_.log_news();
  return status;
}

void Queue::note_done(Ticket ticket) const noexcept {
  Ticket seen = seen_.load(std::memory_order_relaxed);
  while (seen < ticket && !seen_.compare_exchange_weak(seen, ticket, std::memory_order_acq_rel)) {
  }
}

}  // namespace plimsoll::hal::check
