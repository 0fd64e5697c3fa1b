// A queue whose work is done when submit returns.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "hal/queue.h"

namespace plimsoll::hal::null {

class Queue final : public hal::Queue {
 public:
  Status submit(hal::CommandList& list, Ticket after, Ticket& out) override;
  Ticket completed() const noexcept override { return completed_.load(std::memory_order_acquire); }
  Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) override;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Ticket> completed_ = 0;
};

}  // namespace plimsoll::hal::null
