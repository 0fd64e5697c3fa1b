// For tests: a pool of its own in the place of the default one, for as long as the guard lives.
#pragma once

#include <memory>
#include <utility>

#include "memory/fault_source.h"
#include "memory/system_source.h"
#include "runtime/runtime.h"

namespace plimsoll::runtime {

class PoolGuard {
 public:
  explicit PoolGuard(const memory::Limits& limits, std::shared_ptr<memory::FaultPlan> plan = nullptr) {
    std::unique_ptr<memory::Source> source = std::make_unique<memory::SystemSource>();
    if (plan != nullptr) source = std::make_unique<memory::FaultSource>(std::move(source), std::move(plan));
    pool_ = std::make_shared<memory::Pool>(std::move(source), limits, instance().board());
    former_ = instance().swap_pool(pool_);
  }
  // Waits for everything in flight: the pool takes its memory with it.
  ~PoolGuard() {
    for (const Stream& stream : get_streams()) synchronize(stream);
    instance().swap_pool(std::move(former_));
  }
  PoolGuard(const PoolGuard&) = delete;
  PoolGuard& operator=(const PoolGuard&) = delete;

  memory::Pool& pool() { return *pool_; }

 private:
  std::shared_ptr<memory::Pool> pool_;
  std::shared_ptr<memory::Pool> former_;
};

}  // namespace plimsoll::runtime
