#include "runtime/deferred_calls.h"

#include <algorithm>

namespace plimsoll::runtime {

void DeferredCalls::call_after(memory::Use use, std::function<void()> call) {
  if (board_.done(use)) {
    call();
    return;
  }
  const std::lock_guard lock(mutex_);
  calls_.push_back({use, std::move(call)});
  any_.store(true, std::memory_order_release);
}

void DeferredCalls::run_ready() {
  if (!any_.load(std::memory_order_acquire)) return;
  std::vector<Call> ready;
  {
    const std::lock_guard lock(mutex_);
    const auto first =
        std::stable_partition(calls_.begin(), calls_.end(), [&](const Call& c) { return !board_.done(c.use); });
    std::move(first, calls_.end(), std::back_inserter(ready));
    calls_.erase(first, calls_.end());
    any_.store(!calls_.empty(), std::memory_order_release);
  }
  for (Call& call : ready) call.call();
}

}  // namespace plimsoll::runtime
