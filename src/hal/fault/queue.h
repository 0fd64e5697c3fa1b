// The queue of the device below, whose submissions meet the plan's faults.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "hal/device.h"
#include "hal/fault/plan.h"
#include "hal/queue.h"

namespace plimsoll::hal::fault {

// A loss lets the device below finish what it has, so that its memory can be given back: a submission that loses the
// device may block for that long. Tickets before the loss are done then; the one that met it and all later never are.
class Queue final : public hal::Queue {
 public:
  // `inner` outlives the queue.
  Queue(hal::Device& inner, Plan& plan) : inner_(inner), plan_(plan) {}

  Status submit(hal::CommandList& list, Ticket after, Ticket& out) override;
  Ticket completed() const noexcept override;
  Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) override;

  bool lost() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Delay {
    Ticket ticket;
    TimePoint until;
  };
  struct Empty {
    Ticket ticket;
    std::unique_ptr<hal::CommandList> list;
  };

  Status send(hal::CommandList& list, Ticket after, Ticket& out);
  Status send_empty(Ticket after, Ticket& out);
  void lose();
  TimePoint earliest(Ticket ticket) const;

  hal::Device& inner_;
  Plan& plan_;
  std::mutex order_;          // held over a submission
  std::vector<Empty> empty_;  // lists sent in the place of others, until they are done

  mutable std::mutex mutex_;   // guards the rest
  std::vector<Delay> delays_;  // in the order of tickets
  Ticket submitted_ = 0;
  bool lost_ = false;
  Ticket completed_at_loss_ = 0;
};

}  // namespace plimsoll::hal::fault
