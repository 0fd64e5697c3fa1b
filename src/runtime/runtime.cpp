#include "runtime/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "plimsoll/errors.h"
#include "memory/limits.h"
#include "memory/system_source.h"

namespace plimsoll::runtime {

Runtime::Runtime() : probe_(memory::make_system_probe()), scheduler_(*this) {
  swap_pool(std::make_shared<memory::Pool>(std::make_unique<memory::SystemSource>(),
                                           memory::choose_limits(*probe_, std::nullopt).limits, board_));
  cpu::register_all(cpu_table_);
  gpu::register_all(gpu_table_);
}

std::shared_ptr<memory::Pool> Runtime::swap_pool(std::shared_ptr<memory::Pool> pool) {
  const std::lock_guard lock(pools_mutex_);
  pools_.push_back(std::move(pool));
  const std::shared_ptr<memory::Pool>* const former = pool_.exchange(&pools_.back(), std::memory_order_acq_rel);
  return former == nullptr ? nullptr : *former;
}

void Runtime::move_to_pool(std::shared_ptr<memory::Pool> fresh) {
  const std::shared_ptr<memory::Pool> former = pool();
  former->clear_cache();
  former->set_cache_limit(0);
  const size_t kept = former->active();
  const size_t limit = std::min(former->memory_limit(), fresh->memory_limit());
  former->set_memory_limit(kept);
  fresh->set_memory_limit(limit > kept ? limit - kept : 0);
  swap_pool(fresh);
}

std::shared_ptr<memory::Pool> Runtime::default_pool() {
  const Device device = plimsoll::default_device();
  if (device == Device::cpu) return pool();
  return devices_.gpu(device.index, "memory").pool();
}

std::shared_ptr<memory::Pool> Runtime::acquire(std::span<const memory::Request> requests, uint32_t stream,
                                               std::span<memory::Buffer> buffers) {
  deferred_.run_ready();
  for (;;) {
    const std::shared_ptr<memory::Pool> from = pool();
    memory::AcquireResult result;
    try {
      result = from->acquire(requests, stream, buffers);
    } catch (const OutOfMemory&) {
      if (!devices_.leave_lost_pool()) throw;
      continue;
    }
    for (const memory::Use& use : result.wait_for) board_.wait(use);
    if (!result.acquired) continue;
    // The host is about to write: earlier owners of the buffers must be done with them.
    for (const memory::Use& use : result.order_after) board_.wait(use);
    return from;
  }
}

Runtime& instance() {
  static Runtime* const made = [] {
    auto* fresh = new Runtime;
    std::atexit([] {
      instance().devices().join();
      instance().streams().join();
    });
    return fresh;
  }();
  return *made;
}

void require_available(Device device, const char* function) {
  if (device.type == Device::cpu && device.index == 0) return;
  if (device.type == Device::gpu) {
    instance().devices().open_first_gpu();
    instance().devices().gpu(device.index, function);
    return;
  }
  throw std::invalid_argument(std::string("[") + function + "] there is no cpu:" + std::to_string(device.index));
}

}  // namespace plimsoll::runtime
