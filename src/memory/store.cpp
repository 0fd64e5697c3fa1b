#include "memory/store.h"

#include <algorithm>
#include <utility>

#include "memory/saturate.h"

namespace plimsoll::memory {

namespace {

Limits within_caps(Limits limits, const Caps& caps) noexcept {
  limits.objects = std::min(limits.objects, caps.max_allocations);
  return limits;
}

PageRecord& as_page(DriverBlock& block) noexcept { return static_cast<PageRecord&>(block); }
SlabBlock& as_slab(DriverBlock& block) noexcept { return static_cast<SlabBlock&>(block); }

void destroy(DriverBlock& block) noexcept {
  if (block.is_slab) {
    delete &as_slab(block);
  } else {
    delete &as_page(block);
  }
}

}  // namespace

Store::Store(std::unique_ptr<Source> source, const Limits& limits, const UseBoard& board)
    : source_(std::move(source)),
      board_(board),
      caps_(source_->caps()),
      ledger_(within_caps(limits, caps_)),
      cache_(caps_.granularity) {
  source_->set_wired_limit(limits.wired);
}

Store::~Store() {
  drop_all();
  while (DriverBlock* const block = returning_.front()) give_back(*block);
  while (PageRecord* const record = live_.front()) {
    live_.remove(*record);
    source_->release(record->block);
    delete record;
  }
  while (DriverBlock* const block = slab_blocks_in_use_.front()) {
    slab_blocks_in_use_.remove(*block);
    source_->release(block->block);
    destroy(*block);
  }
}

size_t Store::blocks_in_use() const noexcept { return ledger_.blocks() - ledger_.returning_blocks() - idle_.count(); }

std::optional<Refusal::Cause> Store::refuses(size_t bytes, size_t blocks) const noexcept {
  if (ledger_.shortfall(pinned(), bytes) > 0) return Refusal::Cause::kMemoryLimit;
  if (blocks > 0 && saturating_add(blocks_in_use(), blocks) > ledger_.limits().objects) {
    return Refusal::Cause::kObjectLimit;
  }
  return std::nullopt;
}

Store::Room Store::reserve(size_t bytes, size_t blocks) noexcept {
  evict(ledger_.excess_without_returning(bytes));
  const auto too_many = [&] {
    return blocks > 0 && saturating_add(ledger_.blocks(), blocks) > ledger_.limits().objects;
  };
  const auto too_many_idle = [&] { return blocks_in_use() + idle_.count() + blocks > ledger_.limits().objects; };
  while (blocks > 0 && too_many_idle() && !idle_.empty()) drop(*idle_.oldest());
  if (ledger_.excess(bytes) > 0 || too_many()) collect();
  return ledger_.excess(bytes) > 0 || too_many() ? Room::kWait : Room::kOk;
}

std::vector<Use> Store::waits(size_t bytes, size_t blocks) const {
  std::vector<Use> uses;
  const size_t bytes_over = ledger_.excess(bytes);
  const size_t blocks_after = saturating_add(ledger_.blocks(), blocks);
  const size_t blocks_over = blocks_after > ledger_.limits().objects ? blocks_after - ledger_.limits().objects : 0;
  size_t bytes_back = 0;
  size_t blocks_back = 0;
  for (const DriverBlock* block = returning_.front(); block; block = BlockList::next(*block)) {
    if (bytes_back >= bytes_over && blocks_back >= blocks_over) break;
    bytes_back += block->block.bytes;
    ++blocks_back;
    add_waits(*block, uses);
  }
  return uses;
}

std::vector<Use> Store::all_waits() const {
  std::vector<Use> uses;
  for (const DriverBlock* block = returning_.front(); block; block = BlockList::next(*block)) add_waits(*block, uses);
  return uses;
}

void Store::add_waits(const DriverBlock& block, std::vector<Use>& uses) const {
  if (block.is_slab) {
    static_cast<const SlabBlock&>(block).collect_uses(uses);
  } else {
    add_use(uses, static_cast<const PageRecord&>(block).last_use);
  }
  source_->add_holders(block.block, uses);
}

Store::Grant Store::allocate(size_t bytes, Block& out) noexcept {
  for (;;) {
    const Allocation answer = source_->allocate(bytes, out);
    if (answer == Allocation::kOk) {
      ledger_.block_added(out.bytes);
      return Grant::kOk;
    }
    if (answer == Allocation::kTooLarge) return Grant::kTooLarge;
    const size_t before = ledger_.blocks();
    drop_all();
    collect();
    if (ledger_.blocks() < before) continue;
    if (!returning_.empty()) return Grant::kWait;
    return answer == Allocation::kDenied ? Grant::kDenied : Grant::kTooMany;
  }
}

Store::Grant Store::fresh(size_t bytes, PageRecord*& out) {
  auto record = std::make_unique<PageRecord>();
  cache_.adopt(*record, bytes);
  record->block.bytes = bytes;
  const Grant grant = allocate(bytes, record->block);
  if (grant == Grant::kOk) {
    ledger_.take(record->block.bytes);
    out = record.release();
  } else {
    cache_.forget(*record);
  }
  return grant;
}

void Store::discard(PageRecord* record) noexcept {
  ledger_.put(record->block.bytes);
  ledger_.block_dropped(record->block.bytes);
  cache_.forget(*record);
  returning_.push_back(*record);
  if (done(*record)) give_back(*record);
}

void Store::take(PageRecord& record) noexcept {
  idle_.remove(record);
  cache_.take(record);
  ledger_.take(record.block.bytes);
}

void Store::untake(PageRecord& record) noexcept {
  ledger_.put(record.block.bytes);
  cache_.put(record);
  idle_.insert(record);
}

void Store::make_live(PageRecord& record, const Request& request) noexcept {
  record.tag = request.tag;
  record.origin = request.origin;
  live_.push_back(record);
}

void Store::release(PageRecord& record, Use last_use) noexcept {
  live_.remove(record);
  record.last_use = last_use;
  record.stamp = ++clock_;
  untake(record);
  trim();
  collect_quickly();
  note_peaks();
}

size_t Store::set_memory_limit(size_t bytes) noexcept {
  const size_t before = ledger_.limits().memory;
  ledger_.set_memory_limit(bytes);
  trim();
  collect();
  return before;
}

size_t Store::set_cache_limit(size_t bytes) noexcept {
  const size_t before = ledger_.limits().cache;
  ledger_.set_cache_limit(bytes);
  trim();
  collect();
  return before;
}

size_t Store::set_wired_limit(size_t bytes) noexcept {
  const size_t before = ledger_.limits().wired;
  ledger_.set_wired_limit(bytes);
  source_->set_wired_limit(bytes);
  return before;
}

size_t Store::set_object_limit(size_t count) noexcept {
  const size_t before = ledger_.limits().objects;
  ledger_.set_object_limit(std::min(count, caps_.max_allocations));
  trim();
  collect();
  return before;
}

void Store::trim() noexcept {
  const size_t over_limit = ledger_.excess_without_returning(0);
  const size_t over_cache = ledger_.cached() > ledger_.limits().cache ? ledger_.cached() - ledger_.limits().cache : 0;
  evict(std::max(over_limit, over_cache));
  while (!idle_.empty() && blocks_in_use() + idle_.count() > ledger_.limits().objects) drop(*idle_.oldest());
}

void Store::drop_all() noexcept {
  while (!idle_.empty()) drop(*idle_.oldest());
}

void Store::evict(size_t bytes) noexcept {
  if (bytes == 0) return;
  const size_t nine_tenths = idle_.bytes() - idle_.bytes() / 10;
  const bool all = bytes >= nine_tenths;
  size_t freed = 0;
  while (!idle_.empty() && (all || freed < bytes)) {
    freed += idle_.oldest()->block.bytes;
    drop(*idle_.oldest());
  }
}

void Store::drop(DriverBlock& block) noexcept {
  idle_.remove(block);
  if (block.is_slab) {
    slabs_.remove(as_slab(block));
  } else {
    cache_.take(as_page(block));
    cache_.forget(as_page(block));
  }
  ledger_.block_dropped(block.block.bytes);
  returning_.push_back(block);
  if (done(block)) give_back(block);
}

bool Store::done(const DriverBlock& block) const noexcept {
  if (source_->held(block.block)) return false;
  if (block.is_slab) return static_cast<const SlabBlock&>(block).done(board_);
  return board_.done(static_cast<const PageRecord&>(block).last_use);
}

void Store::give_back(DriverBlock& block) noexcept {
  returning_.remove(block);
  source_->release(block.block);
  ledger_.block_returned(block.block.bytes);
  destroy(block);
}

void Store::collect() noexcept {
  for (DriverBlock* block = returning_.front(); block;) {
    DriverBlock* const next = BlockList::next(*block);
    if (done(*block)) give_back(*block);
    block = next;
  }
}

void Store::collect_quickly() noexcept {
  while (!returning_.empty() && done(*returning_.front())) give_back(*returning_.front());
}

std::vector<LiveBuffer> Store::largest(size_t count) const {
  std::vector<LiveBuffer> all;
  for (const PageRecord* record = live_.front(); record; record = PageList::next(*record)) {
    all.push_back({record->block.bytes, record->tag, record->origin});
  }
  const size_t kept = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    [](const LiveBuffer& a, const LiveBuffer& b) { return a.bytes > b.bytes; });
  all.resize(kept);
  return all;
}

bool Store::is_valid() const noexcept {
  size_t live_bytes = slabs_.live_bytes();
  for (const PageRecord* record = live_.front(); record; record = PageList::next(*record)) {
    live_bytes += record->block.bytes;
  }
  size_t returning_bytes = 0;
  for (const DriverBlock* block = returning_.front(); block; block = BlockList::next(*block)) {
    returning_bytes += block->block.bytes;
  }
  const size_t slab_free = slabs_.block_bytes() - slabs_.live_bytes();
  return ledger_.is_valid() && cache_.is_valid() && slabs_.is_valid() && idle_.is_valid() &&
         live_bytes == ledger_.active() && returning_bytes == ledger_.returning() &&
         cache_.bytes() + slab_free == ledger_.cached() && idle_.bytes() <= ledger_.cached();
}

}  // namespace plimsoll::memory
