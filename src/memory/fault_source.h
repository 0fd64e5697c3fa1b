// A source that fails on command, over any other: for tests of every path that a driver's refusal takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/source.h"

namespace plimsoll::memory {

// What to fake. Shared between the source, which its pool owns, and the test that holds on to it.
struct FaultPlan {
  uint64_t deny_from = UINT64_MAX;  // calls of allocate, counted from 1: the first and the last that are denied
  uint64_t deny_to = UINT64_MAX;
  size_t max_allocation = SIZE_MAX;
  size_t max_allocations = SIZE_MAX;
  bool hide_caps = false;  // enforce them without announcing them

  uint64_t calls = 0;  // of allocate
  size_t blocks = 0;   // held
  size_t bytes = 0;    // held
  size_t most_bytes = 0;
};

class FaultSource final : public Source {
 public:
  FaultSource(std::unique_ptr<Source> inner, std::shared_ptr<FaultPlan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}

  Caps caps() const override {
    Caps caps = inner_->caps();
    if (plan_->hide_caps) return caps;
    caps.max_allocation = std::min(caps.max_allocation, plan_->max_allocation);
    caps.max_allocations = std::min(caps.max_allocations, plan_->max_allocations);
    return caps;
  }

  Allocation allocate(size_t bytes, Block& out) noexcept override {
    const uint64_t call = ++plan_->calls;
    if (call >= plan_->deny_from && call <= plan_->deny_to) return Allocation::kDenied;
    if (bytes > plan_->max_allocation) return Allocation::kTooLarge;
    if (plan_->blocks >= plan_->max_allocations) return Allocation::kTooMany;
    const Allocation answer = inner_->allocate(bytes, out);
    if (answer != Allocation::kOk) return answer;
    ++plan_->blocks;
    plan_->bytes += bytes;
    plan_->most_bytes = std::max(plan_->most_bytes, plan_->bytes);
    return answer;
  }

  void release(const Block& block) noexcept override {
    --plan_->blocks;
    plan_->bytes -= block.bytes;
    inner_->release(block);
  }

  bool held(const Block& block) const noexcept override { return inner_->held(block); }
  void add_holders(const Block& block, std::vector<Use>& uses) const override { inner_->add_holders(block, uses); }
  bool can_wire() const noexcept override { return inner_->can_wire(); }
  void set_wired_limit(size_t bytes) noexcept override { inner_->set_wired_limit(bytes); }
  size_t wired() const noexcept override { return inner_->wired(); }

 private:
  std::unique_ptr<Source> inner_;
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace plimsoll::memory
