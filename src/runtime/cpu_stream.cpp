#include "runtime/cpu_stream.h"

namespace plimsoll::runtime {

CpuStream::~CpuStream() { join(); }

memory::Use CpuStream::submit(CpuTask task) {
  std::unique_lock lock(mutex_);
  drained_.wait(lock, [&] { return queue_.size() < kQueueLimit; });
  return push(std::move(task), lock);
}

memory::Use CpuStream::submit_now(CpuTask task) noexcept {
  std::unique_lock lock(mutex_);
  return push(std::move(task), lock);
}

memory::Use CpuStream::push(CpuTask task, std::unique_lock<std::mutex>& lock) {
  queue_.push_back(std::move(task));
  const memory::Use use{id_, ++submitted_};
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  const bool wake = worker_waits_;
  lock.unlock();
  if (wake) filled_.notify_one();
  return use;
}

memory::Use CpuStream::last() const {
  const std::lock_guard lock(mutex_);
  return {id_, submitted_};
}

void CpuStream::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  filled_.notify_one();
  if (worker_.joinable()) worker_.join();
}

void CpuStream::work() {
  std::unique_lock lock(mutex_);
  for (uint64_t ticket = 1;; ++ticket) {
    worker_waits_ = true;
    filled_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    worker_waits_ = false;
    if (queue_.empty()) return;
    CpuTask task = std::move(queue_.front());
    queue_.pop_front();
    if (queue_.size() + 1 == kQueueLimit) drained_.notify_all();
    lock.unlock();
    board_.complete({id_, ticket}, run(task));
    task = {};
    lock.lock();
  }
}

std::exception_ptr CpuStream::run(CpuTask& task) const {
  for (const memory::Use& use : task.waits) board_.wait(use);
  if (std::exception_ptr failed = board_.first_failure({task.depends.data(), task.depends.size()})) return failed;
  if (task.primitive == nullptr) return nullptr;
  try {
    const std::span<const Tensor> tensors(task.tensors);
    task.run(*task.primitive, {tensors.first(task.input_count), tensors.subspan(task.input_count), task.scratch});
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace plimsoll::runtime
