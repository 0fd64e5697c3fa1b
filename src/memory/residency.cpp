#include "memory/residency.h"

#include <algorithm>
#include <new>

namespace plimsoll::memory {

Residency::Residency(hal::Device& device, const UseBoard& board)
    : device_(device),
      board_(board),
      can_wire_(device.can_wire()),
      set_bytes_(std::max(kSmallestSet, device.memory_budget().budget / 20)) {
  sets_.reserve(kMaxSets);
}

void Residency::add(const hal::Buffer& buffer) noexcept {
  if (!can_wire_) return;
  const std::lock_guard lock(mutex_);
  try {
    const auto [at, inserted] = arrival_.try_emplace(buffer.address, next_arrival_);
    if (!inserted) return;
    try {
      members_.emplace_hint(members_.end(), next_arrival_++, Member{buffer, std::nullopt, {}});
    } catch (const std::bad_alloc&) {
      arrival_.erase(at);
    }
  } catch (const std::bad_alloc&) {
    return;
  }
  unsettled_ = true;
}

void Residency::remove(uint64_t address) noexcept {
  const std::lock_guard lock(mutex_);
  const auto arrival = arrival_.find(address);
  if (arrival == arrival_.end()) return;
  const auto member = members_.find(arrival->second);
  if (member->second.set) unwire(member->second);
  members_.erase(member);
  arrival_.erase(arrival);
  unsettled_ = true;
}

bool Residency::done(const std::vector<Use>& uses) const noexcept {
  return std::all_of(uses.begin(), uses.end(), [&](Use use) { return board_.done(use); });
}

Residency::Member* Residency::find(uint64_t address) noexcept {
  const auto arrival = arrival_.find(address);
  return arrival == arrival_.end() ? nullptr : &members_.at(arrival->second);
}

const Residency::Set* Residency::set_of(uint64_t address) const noexcept {
  const auto arrival = arrival_.find(address);
  if (arrival == arrival_.end()) return nullptr;
  const Member& member = members_.at(arrival->second);
  return member.set ? &sets_[*member.set] : nullptr;
}

bool Residency::held(uint64_t address) const noexcept {
  if (!can_wire_) return false;
  const std::lock_guard lock(mutex_);
  const Set* const set = set_of(address);
  return set != nullptr && !(done(set->touched_by) && done(all_touched_by_));
}

void Residency::add_holders(uint64_t address, std::vector<Use>& uses) const {
  if (!can_wire_) return;
  const std::lock_guard lock(mutex_);
  const Set* const set = set_of(address);
  if (set == nullptr) return;
  for (const Use use : set->touched_by) add_use(uses, use);
  for (const Use use : all_touched_by_) add_use(uses, use);
}

void Residency::touch(uint64_t address, Use use) {
  if (!can_wire_) return;
  const std::lock_guard lock(mutex_);
  Member* const member = find(address);
  if (member != nullptr) add_use(member->set ? sets_[*member->set].touched_by : member->touched_by, use);
}

void Residency::touch_all(Use use) {
  if (!can_wire_) return;
  const std::lock_guard lock(mutex_);
  add_use(all_touched_by_, use);
}

void Residency::settle() noexcept {
  if (!can_wire_) return;
  const std::lock_guard lock(mutex_);
  settle_locked();
}

size_t Residency::set_limit(size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const size_t before = limit_;
  limit_ = bytes;
  for (auto& [arrival, member] : members_) member.refused = false;
  unsettled_ = true;
  settle_locked();
  return before;
}

void Residency::settle_locked() noexcept {
  if (!unsettled_ || !done(all_touched_by_)) return;
  unsettled_ = false;
  unwire_excess();
  wire_waiting();
}

void Residency::unwire_excess() noexcept {
  for (auto at = members_.rbegin(); at != members_.rend() && wired_ > limit_; ++at) {
    Member& member = at->second;
    if (member.set && done(sets_[*member.set].touched_by)) unwire(member);
  }
  if (wired_ > limit_) unsettled_ = true;
}

void Residency::wire_waiting() noexcept {
  for (auto at = members_.begin(); at != members_.end() && wired_ < limit_; ++at) {
    Member& member = at->second;
    if (member.set || member.refused || member.buffer.bytes > limit_ - wired_) continue;
    const std::optional<size_t> set = done(member.touched_by) ? choose_set(member.buffer.bytes) : std::nullopt;
    if (set) {
      wire(member, *set);
    } else {
      unsettled_ = true;
    }
  }
}

// The first set at rest that has room, else a new one, else the emptiest at rest; none when all have work in flight.
std::optional<size_t> Residency::choose_set(size_t bytes) noexcept {
  std::optional<size_t> emptiest;
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (!done(sets_[i].touched_by)) continue;
    if (sets_[i].bytes + bytes <= set_bytes_) return i;
    if (!emptiest || sets_[i].bytes < sets_[*emptiest].bytes) emptiest = i;
  }
  if (sets_.size() == kMaxSets) return emptiest;
  sets_.emplace_back();  // never allocates: reserved
  return sets_.size() - 1;
}

void Residency::wire(Member& member, size_t set) noexcept {
  member.refused = !device_.set_resident(member.buffer, true);
  if (member.refused) return;
  member.set = set;
  sets_[set].bytes += member.buffer.bytes;
  wired_ += member.buffer.bytes;
}

void Residency::unwire(Member& member) noexcept {
  device_.set_resident(member.buffer, false);
  sets_[*member.set].bytes -= member.buffer.bytes;
  wired_ -= member.buffer.bytes;
  member.set.reset();
}

size_t Residency::limit() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

size_t Residency::wired() const {
  const std::lock_guard lock(mutex_);
  return wired_;
}

std::vector<size_t> Residency::sets() const {
  const std::lock_guard lock(mutex_);
  std::vector<size_t> bytes;
  for (const Set& set : sets_) bytes.push_back(set.bytes);
  return bytes;
}

bool Residency::is_valid() const {
  const std::lock_guard lock(mutex_);
  std::vector<size_t> bytes(sets_.size(), 0);
  size_t wired = 0;
  for (const auto& [arrival, member] : members_) {
    const auto known = arrival_.find(member.buffer.address);
    if (known == arrival_.end() || known->second != arrival) return false;
    if (!member.set) continue;
    if (*member.set >= sets_.size()) return false;
    bytes[*member.set] += member.buffer.bytes;
    wired += member.buffer.bytes;
  }
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (bytes[i] != sets_[i].bytes) return false;
  }
  return wired == wired_ && members_.size() == arrival_.size() && sets_.size() <= kMaxSets;
}

}  // namespace plimsoll::memory
