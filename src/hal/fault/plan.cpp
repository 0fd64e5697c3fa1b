#include "hal/fault/plan.h"

namespace plimsoll::hal::fault {

void Plan::set(const Faults& faults) {
  const std::lock_guard lock(mutex_);
  faults_ = faults;
}

Counts Plan::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool Plan::denies_allocation() {
  const std::lock_guard lock(mutex_);
  return faults_.deny_allocations.has(++counts_.allocations);
}

bool Plan::refuses_kernel(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const bool chosen = faults_.refuse_kernels.has(++counts_.kernels);
  return chosen || (!faults_.refused_kernel.empty() && faults_.refused_kernel == name);
}

Plan::Submission Plan::next_submission() {
  const std::lock_guard lock(mutex_);
  const uint64_t number = ++counts_.submissions;
  const bool delayed = faults_.delay_submissions.has(number);
  return {faults_.deny_submissions.has(number), faults_.drop_writes.has(number),
          faults_.refuse_submissions_as_lost.has(number), faults_.lose_device.has(number),
          delayed ? faults_.delay : std::chrono::nanoseconds(0)};
}

}  // namespace plimsoll::hal::fault
