#include "gpu/hazards.h"

#include <algorithm>

namespace plimsoll::gpu {
namespace {

// How many command buffers pass between two walks over all homes.
constexpr uint64_t kSweepEvery = 64;

// Entries that a home may gather before it is cleaned on its own.
constexpr size_t kCrowded = 64;

}  // namespace

HazardTracker::Order HazardTracker::check(std::span<const hal::Access> accesses) const {
  Order order;
  for (const hal::Access& access : accesses) {
    const auto found = homes_.find(access.home);
    if (found == homes_.end()) continue;
    for (const Entry& entry : found->second) judge(access, entry, order);
  }
  return order;
}

void HazardTracker::judge(const hal::Access& access, const Entry& entry, Order& order) const {
  if (!access.writes() && !entry.writes) return;
  const bool is_open = entry.sequence == open_;
  const bool is_ordered =
      is_open ? entry.epoch != epoch_ : entry.sequence <= std::max({ordered_, retired_, order.after});
  if (is_ordered || (is_open && order.barrier) || !hal::overlap(access.region, entry.region)) return;
  if (is_open) {
    order.barrier = true;
  } else {
    order.after = entry.sequence;
  }
}

void HazardTracker::record(std::span<const hal::Access> accesses) {
  for (const hal::Access& access : accesses) add(homes_[access.home], access);
}

// An access to the same bytes takes the place of an earlier one where whoever conflicts with that is ordered behind
// this: a write, itself behind everything that touched these bytes, that of anything; a read that of one in its command
// buffer.
void HazardTracker::add(Entries& entries, const hal::Access& access) {
  if (entries.size() >= kCrowded) {
    std::erase_if(entries, [&](const Entry& entry) { return entry.sequence <= retired_; });
  }
  for (Entry& entry : entries) {
    if (entry.region != access.region) continue;
    const bool same_place = entry.sequence == open_ && entry.epoch == epoch_;
    if (same_place && entry.writes) return;
    const bool joins = !entry.writes && (entry.sequence == open_ || entry.sequence <= retired_);
    if (access.writes() || joins) {
      entry = {access.region, access.writes(), open_, epoch_};
      return;
    }
  }
  entries.push_back({access.region, access.writes(), open_, epoch_});
}

void HazardTracker::commit() {
  ++open_;
  ordered_ = 0;
  if (++commits_until_sweep_ < kSweepEvery) return;
  commits_until_sweep_ = 0;
  sweep();
}

void HazardTracker::sweep() {
  for (auto home = homes_.begin(); home != homes_.end();) {
    std::erase_if(home->second, [&](const Entry& entry) { return entry.sequence <= retired_; });
    home = home->second.empty() ? homes_.erase(home) : std::next(home);
  }
}

}  // namespace plimsoll::gpu
