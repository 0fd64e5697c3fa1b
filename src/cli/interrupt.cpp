#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "cli/exit_codes.h"

namespace plimsoll::cli {

namespace {

std::atomic<bool> was_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // what a signal handler may touch

void on_interrupt(int /*signal*/) {
  if (was_interrupted.exchange(true)) _exit(kInterrupted);
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  // Library code need not expect EINTR; who waits for a person polls, which is never restarted.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() noexcept { return was_interrupted.load(); }

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace plimsoll::cli
