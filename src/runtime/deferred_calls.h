// Deleters of adopted memory wait here until the work that used the memory is done, and run on the next thread that
// calls into the library, never on a worker.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "memory/use.h"
#include "runtime/ticket_board.h"

namespace plimsoll::runtime {

class DeferredCalls {
 public:
  explicit DeferredCalls(const TicketBoard& board) : board_(board) {}

  // Runs `call` at once if `use` is done, else later.
  void call_after(memory::Use use, std::function<void()> call);

  // Runs what has become ready.
  void run_ready();

 private:
  struct Call {
    memory::Use use;
    std::function<void()> call;
  };

  const TicketBoard& board_;
  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::vector<Call> calls_;
};

}  // namespace plimsoll::runtime
