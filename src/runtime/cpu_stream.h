// A stream of the CPU: a queue of tasks and the one thread that runs them in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "plimsoll/small_vector.h"
#include "cpu/table.h"
#include "graph/tensor.h"
#include "memory/use.h"
#include "runtime/ticket_board.h"

namespace plimsoll::runtime {

// One piece of work, complete in itself: it needs nothing of the graph any more.
struct CpuTask {
  std::shared_ptr<Primitive> primitive;  // null for a task that only waits
  cpu::RunFunction run = nullptr;
  std::vector<Tensor> tensors;  // the inputs, then the outputs
  size_t input_count = 0;
  std::span<std::byte> scratch;
  SmallVector<memory::Use, 2> waits;    // work of other streams that must end first
  SmallVector<memory::Use, 4> depends;  // what made the inputs: if it failed, so does this
};

class CpuStream {
 public:
  CpuStream(uint32_t id, TicketBoard& board) : id_(id), board_(board) {}
  ~CpuStream();
  CpuStream(const CpuStream&) = delete;
  CpuStream& operator=(const CpuStream&) = delete;

  uint32_t id() const { return id_; }

  // Queues a task and returns its ticket. Waits while the queue is full, so that encoding cannot run away from the work
  // and fill the host with tasks.
  memory::Use submit(CpuTask task);

  // The same without waiting, for work that must be queued while memory is being given back.
  memory::Use submit_now(CpuTask task) noexcept;

  // Everything submitted so far.
  memory::Use last() const;

  // Runs what is queued and ends the thread.
  void join();

 private:
  static constexpr size_t kQueueLimit = 512;

  memory::Use push(CpuTask task, std::unique_lock<std::mutex>& lock);
  void work();
  std::exception_ptr run(CpuTask& task) const;

  const uint32_t id_;
  TicketBoard& board_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable drained_;
  std::deque<CpuTask> queue_;  // guarded by mutex_, as all below
  uint64_t submitted_ = 0;     // tickets given out
  bool worker_waits_ = false;
  bool ending_ = false;
  std::thread worker_;
};

}  // namespace plimsoll::runtime
