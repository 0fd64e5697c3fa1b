// The queue of the device below, whose lists are judged as they are sent.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "hal/check/order.h"
#include "hal/check/report.h"
#include "hal/check/statements.h"
#include "hal/queue.h"

namespace plimsoll::hal::check {

class Queue final : public hal::Queue {
 public:
  // All outlive the queue. `prover`: does the lists' work in place of the device; null: the device does.
  Queue(hal::Device& inner, OrderJudge& judge, StatementProver* prover, Report& report)
      : inner_(inner), judge_(judge), prover_(prover), report_(report) {}

  Status submit(hal::CommandList& list, Ticket after, Ticket& out) override;
  Ticket completed() const noexcept override;
  // Logs what was found: whoever waits holds no lock.
  Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) override;

 private:
  Status send(hal::CommandList& list, Ticket after, Ticket& out);
  Status prove(hal::CommandList& list, Ticket& out);
  void note_done(Ticket ticket) const noexcept;

  hal::Device& inner_;
  OrderJudge& judge_;
  StatementProver* const prover_;
  Report& report_;
  std::mutex order_;                      // held over a submission
  std::atomic<Ticket> proven_ = 0;        // under a prover: the tickets done
  mutable std::atomic<Ticket> seen_ = 0;  // the latest that a caller was told is done
};

}  // namespace plimsoll::hal::check
