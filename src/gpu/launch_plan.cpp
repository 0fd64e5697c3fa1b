#include "gpu/launch_plan.h"

namespace plimsoll::gpu {

void LaunchPlan::begin(const char* label) {
  label_ = label;
  steps_.clear();
  bytes_.clear();
  accesses_.clear();
}

void LaunchPlan::add(const hal::Kernel& kernel, std::span<const std::byte> parameters, uint64_t groups,
                     std::span<const hal::Access> accesses, hal::Cost cost) {
  steps_.push_back({&kernel, groups, cost, bytes_.size(), parameters.size(), accesses_.size(), accesses.size()});
  bytes_.insert(bytes_.end(), parameters.begin(), parameters.end());
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
}

}  // namespace plimsoll::gpu
