#include "memory/slab.h"

#include <bit>
#include <new>

namespace plimsoll::memory {

namespace {

size_t first_free(const Span& span) noexcept {
  for (size_t word = 0;; ++word) {
    if (span.free_bits[word]) return word * 64 + static_cast<size_t>(std::countr_zero(span.free_bits[word]));
  }
}

void flip(Span& span, size_t index) noexcept { span.free_bits[index / 64] ^= uint64_t{1} << (index % 64); }

}  // namespace

void SlabBlock::place(const Block& from_driver) noexcept {
  block = from_driver;
  for (size_t i = 0; i < spans.size(); ++i) {
    spans[i].owner = this;
    spans[i].address = block.address + i * kSpanBytes;
    spans[i].host = block.host ? static_cast<std::byte*>(block.host) + i * kSpanBytes : nullptr;
  }
}

bool SlabBlock::done(const UseBoard& board) const noexcept {
  for (const Span& span : spans) {
    for (const Use& use : span.uses) {
      if (!board.done(use)) return false;
    }
  }
  return true;
}

void SlabBlock::collect_uses(std::vector<Use>& uses) const {
  for (const Span& span : spans) {
    for (const Use& use : span.uses) add_use(uses, use);
  }
}

bool SlabHeap::take(size_t bytes, uint32_t stream, From from, Buffer& out) {
  Span* const span = span_for(slot_class(bytes), stream, from);
  if (!span) return false;
  const size_t index = first_free(*span);
  const size_t size = span->slot_size();
  flip(*span, index);
  if (++span->live == span->slots) bins_.find({span->slot_class, span->stream})->second.remove(*span);
  ++span->owner->live;
  live_bytes_ += size;
  out = {span->host ? span->host + index * size : nullptr, span->address + index * size, size,
         static_cast<Handle*>(span)};
  return true;
}

Span* SlabHeap::span_for(size_t slot_class, uint32_t stream, From from) {
  SpanList& bin = bins_[{slot_class, stream}];
  if (!bin.empty()) return bin.front();
  if (Span* const span = free_spans_.front()) {
    free_spans_.remove(*span);
    assign(*span, slot_class, stream);
    bin.push_front(*span);
    return span;
  }
  if (from == From::kOwnStream) return nullptr;
  for (auto other = bins_.lower_bound({slot_class, 0}); other != bins_.end(); ++other) {
    if (other->first.first != slot_class) break;
    if (!other->second.empty()) return other->second.front();
  }
  return nullptr;
}

void SlabHeap::assign(Span& span, size_t slot_class, uint32_t stream) noexcept {
  span.slot_class = static_cast<uint16_t>(slot_class);
  span.stream = stream;
  span.fresh = true;
  span.slots = static_cast<uint16_t>(kSpanBytes / slot_bytes(slot_class));
  for (size_t word = 0; word < Span::kWords; ++word) {
    const size_t first = word * 64;
    const size_t here = span.slots > first ? span.slots - first : 0;
    span.free_bits[word] = here >= 64 ? ~uint64_t{0} : (uint64_t{1} << here) - 1;
  }
}

void SlabHeap::unassign(Span& span, SpanList& bin) noexcept {
  bin.remove(span);
  span.slots = 0;
  free_spans_.push_front(span);
}

bool SlabHeap::put(const Buffer& buffer, Use last_use) noexcept {
  Span& span = static_cast<Span&>(*static_cast<Handle*>(buffer.record));
  try {
    add_use(span.uses, last_use);
  } catch (const std::bad_alloc&) {
    return false;
  }
  SpanList& bin = free_slot(span, span.index_of(buffer));
  const bool alone = bin.front() == &span && bin.back() == &span;
  if (span.live == 0 && !alone) unassign(span, bin);
  return true;
}

void SlabHeap::untake(const Buffer& buffer) noexcept {
  Span& span = static_cast<Span&>(*static_cast<Handle*>(buffer.record));
  SpanList& bin = free_slot(span, span.index_of(buffer));
  if (span.live == 0 && span.fresh) unassign(span, bin);
}

// Returns the span's bin, where the span is now listed.
SlabHeap::SpanList& SlabHeap::free_slot(Span& span, size_t index) noexcept {
  SpanList& bin = bins_.find({span.slot_class, span.stream})->second;
  flip(span, index);
  if (span.live == span.slots) bin.push_front(span);
  --span.live;
  --span.owner->live;
  live_bytes_ -= span.slot_size();
  return bin;
}

void SlabHeap::add(SlabBlock& block) noexcept {
  for (Span& span : block.spans) free_spans_.push_back(span);
  block_bytes_ += block.block.bytes;
}

void SlabHeap::remove(SlabBlock& block) noexcept {
  for (Span& span : block.spans) {
    if (span.slots == 0) {
      free_spans_.remove(span);
    } else {
      bins_.find({span.slot_class, span.stream})->second.remove(span);
    }
  }
  block_bytes_ -= block.block.bytes;
}

void SlabHeap::order(Span& span, uint32_t stream, const UseBoard& board, std::vector<Use>& order_after) {
  std::erase_if(span.uses, [&](const Use& use) { return board.done(use); });
  for (const Use& use : span.uses) {
    if (use.stream != stream) add_use(order_after, use);
  }
}

bool SlabHeap::is_valid() const noexcept {
  for (const auto& [key, bin] : bins_) {
    size_t without_live = 0;
    for (const Span* span = bin.front(); span; span = SpanList::next(*span)) {
      size_t free = 0;
      for (const uint64_t word : span->free_bits) free += static_cast<size_t>(std::popcount(word));
      if (key != BinKey{span->slot_class, span->stream} || free == 0 || free + span->live != span->slots) return false;
      without_live += span->live == 0;
    }
    if (without_live > 1) return false;
  }
  for (const Span* span = free_spans_.front(); span; span = SpanList::next(*span)) {
    if (span->slots != 0 || span->live != 0) return false;
  }
  return live_bytes_ <= block_bytes_;
}

}  // namespace plimsoll::memory
