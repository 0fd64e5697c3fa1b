#include "memory/acquisition.h"

#include <algorithm>

#include "memory/saturate.h"

namespace plimsoll::memory {

namespace {

Handle* handle_of(const Buffer& buffer) noexcept { return static_cast<Handle*>(buffer.record); }

PageRecord& page_of(const Buffer& buffer) noexcept { return static_cast<PageRecord&>(*handle_of(buffer)); }

Buffer page_buffer(PageRecord& record) noexcept {
  return {record.block.host, record.block.address, record.block.bytes, static_cast<Handle*>(&record)};
}

}  // namespace

Acquisition::Acquisition(Store& store, std::span<const Request> requests, uint32_t stream,
                         std::span<Buffer> out) noexcept
    : store_(store), requests_(requests), out_(out), stream_(stream) {}

Acquisition::~Acquisition() {
  if (!committed_) roll_back();
}

bool Acquisition::is_small(size_t bytes) const noexcept {
  return bytes <= kMaxSlotBytes && bytes < store_.caps().granularity;
}

size_t Acquisition::charge(size_t bytes) const noexcept {
  if (bytes == 0) return 0;
  return is_small(bytes) ? slot_bytes(slot_class(bytes)) : saturating_round_up(bytes, store_.caps().granularity);
}

std::optional<Refusal> Acquisition::run(AcquireResult& result, uint64_t& until_denial) {
  begin();
  if (refusal_.asked == 0) {
    commit(result);
    return std::nullopt;
  }
  if (until_denial > 0 && --until_denial == 0) {
    refuse(Refusal::Cause::kDriver, refusal_.asked);
    return refusal_;
  }
  Step step = take_cached(result);
  if (step == Step::kOn) step = check();
  if (step == Step::kOn) step = take_missing_slots();
  if (step == Step::kOn) step = take_missing_pages();
  if (step == Step::kRefused) return refusal_;
  if (step == Step::kOn) {
    order_after_slots(result);
    commit(result);
    return std::nullopt;
  }
  roll_back();
  result.order_after.clear();
  result.wait_for = wait_for_all_ ? store_.all_waits() : store_.waits(wait_bytes_, wait_blocks_);
  return std::nullopt;
}

void Acquisition::begin() {
  std::fill_n(out_.begin(), requests_.size(), Buffer{});
  refusal_.buffers = requests_.size();
  size_t largest = 0;
  for (const Request& request : requests_) {
    const size_t bytes = charge(request.bytes);
    refusal_.asked = saturating_add(refusal_.asked, bytes);
    if (bytes > largest) {
      largest = bytes;
      refusal_.origin = request.origin;
    }
  }
}

// The choices among what is there already; they never depend on what has finished.
Acquisition::Step Acquisition::take_cached(AcquireResult& result) {
  for (size_t i = 0; i < requests_.size(); ++i) {
    const size_t bytes = requests_[i].bytes;
    if (bytes == 0) continue;
    if (is_small(bytes)) {
      missing_slots_ += !store_.take_slot(bytes, stream_, SlabHeap::From::kOwnStream, out_[i]);
      continue;
    }
    const size_t rounded = charge(bytes);
    if (rounded > store_.caps().max_allocation) return refuse(Refusal::Cause::kSizeCap, rounded);
    if (PageRecord* const record = store_.cache().find(rounded, stream_)) {
      store_.take(*record);
      out_[i] = page_buffer(*record);
      const Use use = record->last_use;
      if (use.stream != stream_ && !store_.board().done(use)) add_use(result.order_after, use);
    } else {
      missing_bytes_ = saturating_add(missing_bytes_, rounded);
      ++missing_pages_;
    }
  }
  return Step::kOn;
}

// Asked of the ledger alone, before anything is dropped and before any driver call. Missing slots may fit into spans of
// other streams, so they count for nothing here.
Acquisition::Step Acquisition::check() {
  const auto cause = store_.refuses(missing_bytes_, missing_pages_);
  return cause ? refuse(*cause, missing_bytes_) : Step::kOn;
}

Acquisition::Step Acquisition::take_missing_slots() {
  for (size_t i = 0; missing_slots_ > 0 && i < requests_.size(); ++i) {
    if (requests_[i].bytes == 0 || out_[i].record || !is_small(requests_[i].bytes)) continue;
    const Step step = take_slot_somehow(i);
    if (step != Step::kOn) return step;
    --missing_slots_;
  }
  return Step::kOn;
}

// A new block comes before the spans of other streams, since those cost a wait.
Acquisition::Step Acquisition::take_slot_somehow(size_t index) {
  const size_t bytes = requests_[index].bytes;
  if (store_.take_slot(bytes, stream_, SlabHeap::From::kOwnStream, out_[index])) return Step::kOn;
  const size_t block = store_.slab_block_size(missing_bytes_);
  const auto cause = store_.refuses(saturating_add(missing_bytes_, block), missing_pages_ + 1);
  Store::Grant grant = Store::Grant::kDenied;
  if (!cause) {
    if (reserve(block, 1) == Step::kWait) return Step::kWait;
    grant = store_.grow(block);
    if (grant == Store::Grant::kWait) return judge(grant, block);
    made_blocks_ = made_blocks_ || grant == Store::Grant::kOk;
  }
  if (store_.take_slot(bytes, stream_, SlabHeap::From::kAnyStream, out_[index])) return check();
  return cause ? refuse(*cause, saturating_add(missing_bytes_, block)) : judge(grant, block);
}

Acquisition::Step Acquisition::reserve(size_t bytes, size_t blocks) {
  if (store_.reserve(bytes, blocks) == Store::Room::kOk) return Step::kOn;
  wait_bytes_ = bytes;
  wait_blocks_ = blocks;
  return Step::kWait;
}

Acquisition::Step Acquisition::take_missing_pages() {
  if (missing_pages_ == 0) return Step::kOn;
  if (const Step step = check(); step != Step::kOn) return step;
  if (reserve(missing_bytes_, missing_pages_) == Step::kWait) return Step::kWait;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].bytes == 0 || out_[i].record) continue;
    const size_t rounded = charge(requests_[i].bytes);
    PageRecord* record = nullptr;
    const Store::Grant grant = store_.fresh(rounded, record);
    if (grant != Store::Grant::kOk) return judge(grant, rounded);
    made_blocks_ = true;
    out_[i] = page_buffer(*record);
  }
  return Step::kOn;
}

Acquisition::Step Acquisition::judge(Store::Grant grant, size_t bytes) {
  switch (grant) {
    case Store::Grant::kOk:
      return Step::kOn;
    case Store::Grant::kWait:
      wait_for_all_ = true;
      return Step::kWait;
    case Store::Grant::kTooLarge:
      return refuse(Refusal::Cause::kSizeCap, bytes);
    case Store::Grant::kTooMany:
      return refuse(Refusal::Cause::kDriverCount, bytes);
    case Store::Grant::kDenied:
      break;
  }
  return refuse(Refusal::Cause::kDriver, bytes);
}

Acquisition::Step Acquisition::refuse(Refusal::Cause cause, size_t bytes) {
  refusal_.cause = cause;
  if (cause == Refusal::Cause::kMemoryLimit) refusal_.shortfall = store_.ledger().shortfall(store_.pinned(), bytes);
  if (cause == Refusal::Cause::kSizeCap) refusal_.asked = bytes;
  return Step::kRefused;
}

void Acquisition::order_after_slots(AcquireResult& result) {
  for (const Buffer& buffer : out_.first(requests_.size())) {
    if (!buffer.record || !handle_of(buffer)->in_slab) continue;
    Span& span = static_cast<Span&>(*handle_of(buffer));
    SlabHeap::order(span, stream_, store_.board(), result.order_after);
  }
}

void Acquisition::commit(AcquireResult& result) {
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (!out_[i].record) continue;
    if (handle_of(out_[i])->in_slab) {
      SlabHeap::settle(static_cast<Span&>(*handle_of(out_[i])));
    } else {
      store_.make_live(page_of(out_[i]), requests_[i]);
    }
  }
  store_.note_peaks();
  committed_ = true;
  result.acquired = true;
  result.made_blocks = made_blocks_;
}

// Backwards, so that slots go back in the order that makes the next attempt find them again.
void Acquisition::roll_back() noexcept {
  for (size_t i = requests_.size(); i-- > 0;) {
    Buffer& buffer = out_[i];
    if (!buffer.record) continue;
    if (handle_of(buffer)->in_slab) {
      store_.untake_slot(buffer);
    } else if (page_of(buffer).stamp == 0) {
      store_.discard(&page_of(buffer));
    } else {
      store_.untake(page_of(buffer));
    }
    buffer = {};
  }
}

}  // namespace plimsoll::memory
