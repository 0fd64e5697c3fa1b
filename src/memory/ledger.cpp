#include "memory/ledger.h"

#include <algorithm>

#include "memory/saturate.h"

namespace plimsoll::memory {

namespace {

size_t over(size_t sum, size_t limit) noexcept { return sum > limit ? sum - limit : 0; }

}  // namespace

Ledger::Ledger(const Limits& limits) noexcept : limits_(limits), allowance_(limits.memory) {}

void Ledger::block_added(size_t bytes) noexcept {
  cached_ += bytes;
  ++blocks_;
}

void Ledger::block_dropped(size_t bytes) noexcept {
  cached_ -= bytes;
  returning_ += bytes;
  ++returning_blocks_;
}

void Ledger::block_returned(size_t bytes) noexcept {
  returning_ -= bytes;
  --returning_blocks_;
  --blocks_;
  shrink_allowance();
}

void Ledger::take(size_t bytes) noexcept {
  cached_ -= bytes;
  active_ += bytes;
  ++live_;
}

void Ledger::put(size_t bytes) noexcept {
  active_ -= bytes;
  cached_ += bytes;
  --live_;
}

void Ledger::unmap(size_t bytes) noexcept {
  mapped_ -= std::min(bytes, mapped_);
  shrink_allowance();
}

size_t Ledger::excess_without_returning(size_t more) const noexcept {
  return over(saturating_add(held() - returning_, more), limits_.memory);
}

size_t Ledger::excess(size_t more) const noexcept { return over(saturating_add(held(), more), limits_.memory); }

size_t Ledger::shortfall(size_t pinned, size_t more) const noexcept {
  return over(saturating_add(active_ + mapped_ + pinned, more), limits_.memory);
}

void Ledger::set_memory_limit(size_t bytes) noexcept {
  limits_.memory = bytes;
  allowance_ = std::max(bytes, held());
}

void Ledger::shrink_allowance() noexcept { allowance_ = std::min(allowance_, std::max(limits_.memory, held())); }

void Ledger::note_peaks() noexcept {
  peak_ = std::max(peak_, active_ + mapped_);
  peak_cache_ = std::max(peak_cache_, cached_);
}

void Ledger::reset_peak() noexcept {
  peak_ = active_ + mapped_;
  peak_cache_ = cached_;
}

bool Ledger::is_valid() const noexcept {
  return held() <= allowance_ && returning_blocks_ <= blocks_ && peak_ >= active_ + mapped_;
}

}  // namespace plimsoll::memory
