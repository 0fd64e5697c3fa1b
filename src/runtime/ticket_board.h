// Knows, for every stream of the process, how far its work has come and what failed. Everything that waits, waits here.
//
// A ticket is a stream's number and the position of a piece of work in it. Streams report completion in order, so one
// counter a stream says all; failures are kept by ticket for good, because what the device reports sticks.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "memory/use.h"

namespace plimsoll::runtime {

class TicketBoard : public memory::UseBoard {
 public:
  static constexpr uint32_t kMaxStreams = 4096;

  TicketBoard() = default;
  ~TicketBoard() override;
  TicketBoard(const TicketBoard&) = delete;
  TicketBoard& operator=(const TicketBoard&) = delete;

  // A number for a new stream. Throws std::runtime_error when the process has kMaxStreams.
  uint32_t add_stream();

  // Reports, from the stream's worker and in order, that the ticket's work has ended, with what it failed with or null.
  void complete(memory::Use use, std::exception_ptr failure);

  bool done(memory::Use use) const noexcept override;

  // Blocks until the work has ended, whether or not it failed.
  void wait(memory::Use use) const;

  // What the work failed with; null if it did not, or has not ended.
  std::exception_ptr failure(memory::Use use) const;
  std::exception_ptr first_failure(std::span<const memory::Use> uses) const;

 private:
  struct Progress {
    std::atomic<uint64_t> completed{0};
    mutable std::atomic<int> waiters{0};
    mutable std::mutex mutex;
    mutable std::condition_variable advanced;
    std::unordered_map<uint64_t, std::exception_ptr> failures;  // guarded by mutex
  };

  Progress& progress(uint32_t stream) const { return *streams_[stream].load(std::memory_order_acquire); }

  std::mutex add_mutex_;
  std::atomic<uint32_t> count_{0};
  std::atomic<bool> any_failure_{false};  // spares the look-up while nothing ever failed
  std::array<std::atomic<Progress*>, kMaxStreams> streams_{};
};

}  // namespace plimsoll::runtime
