#include "runtime/ticket_board.h"

#include <stdexcept>
#include <string>

namespace plimsoll::runtime {

TicketBoard::~TicketBoard() {
  for (uint32_t i = 0; i < count_.load(); ++i) delete streams_[i].load();
}

uint32_t TicketBoard::add_stream() {
  const std::lock_guard lock(add_mutex_);
  const uint32_t stream = count_.load(std::memory_order_relaxed);
  if (stream == kMaxStreams) {
    throw std::runtime_error("[new_stream] the process already has " + std::to_string(kMaxStreams) + " streams");
  }
  streams_[stream].store(new Progress, std::memory_order_release);
  count_.store(stream + 1, std::memory_order_release);
  return stream;
}

void TicketBoard::complete(memory::Use use, std::exception_ptr failure) {
  Progress& stream = progress(use.stream);
  if (failure != nullptr) {
    const std::lock_guard lock(stream.mutex);
    stream.failures.emplace(use.ticket, std::move(failure));
    any_failure_.store(true, std::memory_order_release);
  }
  // Sequentially consistent against the waiter, which announces itself before it reads `completed`.
  stream.completed.store(use.ticket);
  if (stream.waiters.load() > 0) {
    {
      const std::lock_guard lock(stream.mutex);
    }
    stream.advanced.notify_all();
  }
}

bool TicketBoard::done(memory::Use use) const noexcept {
  return use.ticket == 0 || progress(use.stream).completed.load(std::memory_order_acquire) >= use.ticket;
}

void TicketBoard::wait(memory::Use use) const {
  if (done(use)) return;
  Progress& stream = progress(use.stream);
  std::unique_lock lock(stream.mutex);
  stream.waiters.fetch_add(1);
  stream.advanced.wait(lock, [&] { return stream.completed.load() >= use.ticket; });
  stream.waiters.fetch_sub(1);
}

std::exception_ptr TicketBoard::failure(memory::Use use) const {
  if (use.ticket == 0 || !any_failure_.load(std::memory_order_acquire)) return nullptr;
  Progress& stream = progress(use.stream);
  const std::lock_guard lock(stream.mutex);
  const auto found = stream.failures.find(use.ticket);
  return found == stream.failures.end() ? nullptr : found->second;
}

std::exception_ptr TicketBoard::first_failure(std::span<const memory::Use> uses) const {
  for (const memory::Use& use : uses) {
    if (std::exception_ptr found = failure(use)) return found;
  }
  return nullptr;
}

}  // namespace plimsoll::runtime
