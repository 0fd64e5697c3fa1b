#include "runtime/runtime.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "memory/limits.h"
#include "memory/system_source.h"

namespace plimsoll::runtime {

Runtime::Runtime()
    : probe_(memory::make_system_probe()),
      pool_(std::make_shared<memory::Pool>(std::make_unique<memory::SystemSource>(),
                                           memory::choose_limits(*probe_, std::nullopt).limits, board_)),
      scheduler_(*this) {
  cpu::register_all(cpu_table_);
}

std::shared_ptr<memory::Pool> Runtime::swap_pool(std::shared_ptr<memory::Pool> pool) {
  return std::exchange(pool_, std::move(pool));
}

void Runtime::acquire(std::span<const memory::Request> requests, uint32_t stream, std::span<memory::Buffer> buffers) {
  deferred_.run_ready();
  for (;;) {
    const memory::AcquireResult result = pool_->acquire(requests, stream, buffers);
    for (const memory::Use& use : result.wait_for) board_.wait(use);
    if (!result.acquired) continue;
    // The host is about to write: earlier owners of the buffers must be done with them.
    for (const memory::Use& use : result.order_after) board_.wait(use);
    return;
  }
}

Runtime& instance() {
  static Runtime* const made = [] {
    auto* fresh = new Runtime;
    std::atexit([] { instance().streams().join(); });
    return fresh;
  }();
  return *made;
}

void require_available(Device device, const char* function) {
  if (device.type == Device::cpu && device.index == 0) return;
  throw std::invalid_argument(std::string("[") + function + "] there is no " +
                              (device.type == Device::cpu ? "cpu:" : "gpu:") + std::to_string(device.index) +
                              "; this build opens the CPU only");
}

}  // namespace plimsoll::runtime
