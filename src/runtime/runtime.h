// The one object behind the public functions: the pool of memory, the streams, the evaluators and the scheduling lock.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "plimsoll/array.h"
#include "cpu/table.h"
#include "gpu/table.h"
#include "memory/pool.h"
#include "memory/system_probe.h"
#include "runtime/deferred_calls.h"
#include "runtime/devices.h"
#include "runtime/scheduler.h"
#include "runtime/streams.h"
#include "runtime/ticket_board.h"

namespace plimsoll::runtime {

class Runtime {
 public:
  Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  TicketBoard& board() { return board_; }
  Streams& streams() { return streams_; }
  const cpu::Table& cpu_table() const { return cpu_table_; }
  const gpu::Table& gpu_table() const { return gpu_table_; }
  Scheduler& scheduler() { return scheduler_; }
  DeferredCalls& deferred() { return deferred_; }

  Devices& devices() { return devices_; }

  // The pool of CPU arrays: system RAM, or that of an open device that shares memory with the host.
  const std::shared_ptr<memory::Pool>& pool() const { return *pool_.load(std::memory_order_acquire); }
  // The pool of the default device, which limits and statistics speak of.
  std::shared_ptr<memory::Pool> default_pool();
  const memory::SystemProbe& probe() const { return *probe_; }

  // Puts another pool in the place of the default one and returns that: for tests with faults, caps and small limits.
  // Arrays keep the pool that they came from. No other thread may be evaluating.
  std::shared_ptr<memory::Pool> swap_pool(std::shared_ptr<memory::Pool> pool);

  // A device that shares memory with the host was opened, or lost: this pool holds all new arrays of the host from here
  // on. What the former pool holds stays there, and counts against the one limit.
  void move_to_pool(std::shared_ptr<memory::Pool> pool);

  // Acquires buffers for the host, waiting for work in flight where the pool asks for it. Returns their pool. Hold no
  // lock.
  std::shared_ptr<memory::Pool> acquire(std::span<const memory::Request> requests, uint32_t stream,
                                        std::span<memory::Buffer> buffers);

 private:
  TicketBoard board_;
  std::unique_ptr<memory::SystemProbe> probe_;
  std::mutex pools_mutex_;
  std::list<std::shared_ptr<memory::Pool>> pools_;  // every pool that was ever current: readers hold no lock
  std::atomic<const std::shared_ptr<memory::Pool>*> pool_;
  Devices devices_{*this};
  Streams streams_{board_};
  cpu::Table cpu_table_;
  gpu::Table gpu_table_;
  DeferredCalls deferred_{board_};
  Scheduler scheduler_;
};

// Made on first use and never destroyed, so that arrays of static lifetime may die after main; its threads are joined
// at exit.
Runtime& instance();

// Throws std::invalid_argument naming `function` when the process has no such device.
void require_available(Device device, const char* function);

}  // namespace plimsoll::runtime
