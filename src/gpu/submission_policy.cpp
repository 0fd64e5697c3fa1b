#include "gpu/submission_policy.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/env.h"

namespace plimsoll::gpu {

bool GrowingCommandBuffers::add(uint32_t dispatches, std::span<const TouchedArray>, bool new_buffers) {
  dispatches_ += dispatches;
  new_buffers_ = new_buffers_ || new_buffers;
  const uint32_t limit = new_buffers_ ? std::min(limit_, kWithNewBuffers) : limit_;
  return dispatches_ >= limit;
}

void GrowingCommandBuffers::committed(bool was_idle) {
  limit_ = was_idle ? kFirst : std::min(limit_ * 2, kLargest);
  dispatches_ = 0;
  new_buffers_ = false;
}

std::unique_ptr<MlxPacking> MlxPacking::for_architecture(char last_letter) {
  switch (last_letter) {
    case 'p':
      return std::make_unique<MlxPacking>(20, 40);
    case 's':
    case 'd':
      return std::make_unique<MlxPacking>(50, 50);
    default:
      return std::make_unique<MlxPacking>(40, 40);
  }
}

bool MlxPacking::add(uint32_t dispatches, std::span<const TouchedArray> arrays, bool) {
  operations_ += dispatches;
  for (const TouchedArray& touched : arrays) {
    if (seen_.insert(touched.home).second) elements_ += touched.elements;
  }
  return operations_ > max_operations_ || megaelements() > max_megaelements_;
}

void MlxPacking::committed(bool) {
  operations_ = 0;
  elements_ = 0;
  seen_.clear();
}

std::unique_ptr<SubmissionPolicy> make_policy_from_environment() {
  const std::string name = base::env_string("PLIMSOLL_SUBMISSION").value_or("growing");
  if (name == "growing") return std::make_unique<GrowingCommandBuffers>();
  if (name == "mlx") {
    const auto operations = base::env_int("PLIMSOLL_MAX_OPS_PER_BUFFER", 0, UINT32_MAX).value_or(50);
    const auto elements = base::env_int("PLIMSOLL_MAX_MEGAELEMENTS_PER_BUFFER", 0, INT64_MAX).value_or(50);
    return std::make_unique<MlxPacking>(static_cast<uint32_t>(operations), static_cast<uint64_t>(elements));
  }
  throw std::invalid_argument("[submission] PLIMSOLL_SUBMISSION is " + name + "; it can be growing or mlx");
}

}  // namespace plimsoll::gpu
