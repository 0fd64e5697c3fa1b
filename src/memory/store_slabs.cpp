// The part of the store that brings blocks to the slabs and accounts for their slots.
#include <algorithm>
#include <bit>
#include <memory>

#include "memory/saturate.h"
#include "memory/store.h"

namespace plimsoll::memory {

namespace {

constexpr size_t kFirstSlabBlock = size_t{64} << 10;
constexpr size_t kLargestSlabBlock = size_t{1} << 20;

// A slab block takes at most this part of the memory limit, since a single live slot pins all of it.
constexpr size_t kLimitParts = 64;

SlabBlock& owner(const Buffer& buffer) noexcept {
  return *static_cast<Span&>(*static_cast<Handle*>(buffer.record)).owner;
}

}  // namespace

// Doubles with the live slots, and gives way to a tight limit down to the smallest. Idle blocks must not count: a first
// attempt may drop them, and the next must ask for the same size.
size_t Store::slab_block_size(size_t pending) const noexcept {
  const size_t smallest = std::max(caps_.granularity, kSpanBytes);
  const size_t wanted = std::clamp(std::bit_floor(slabs_.live_bytes()), kFirstSlabBlock, kLargestSlabBlock);
  const size_t share = std::bit_floor(ledger_.limits().memory / kLimitParts);
  size_t size = std::max(smallest, std::min({wanted, share, std::bit_floor(caps_.max_allocation)}));
  while (size > smallest && ledger_.shortfall(pinned(), saturating_add(size, pending)) > 0) size /= 2;
  return size;
}

Store::Grant Store::grow(size_t bytes) {
  Block block;
  auto slab = std::make_unique<SlabBlock>(bytes);
  const Grant grant = allocate(bytes, block);
  if (grant != Grant::kOk) return grant;
  slab->place(block);
  slab->stamp = ++clock_;
  slabs_.add(*slab);
  slab_blocks_in_use_.push_back(*slab.release());
  return grant;
}

bool Store::take_slot(size_t bytes, uint32_t stream, SlabHeap::From from, Buffer& out) {
  if (!slabs_.take(bytes, stream, from, out)) return false;
  ledger_.take(out.bytes);
  SlabBlock& block = owner(out);
  if (block.idle) {
    block.idle = false;
    idle_.remove(block);
    slab_blocks_in_use_.push_back(block);
  }
  return true;
}

void Store::untake_slot(const Buffer& buffer) noexcept {
  SlabBlock& block = owner(buffer);
  slabs_.untake(buffer);
  ledger_.put(buffer.bytes);
  if (block.live == 0) make_idle(block);
}

void Store::release_slot(const Buffer& buffer, Use last_use) noexcept {
  SlabBlock& block = owner(buffer);
  if (!slabs_.put(buffer, last_use)) return;
  ledger_.put(buffer.bytes);
  if (block.live == 0) {
    block.stamp = ++clock_;
    make_idle(block);
  }
  trim();
  collect_quickly();
  note_peaks();
}

void Store::make_idle(SlabBlock& block) noexcept {
  block.idle = true;
  slab_blocks_in_use_.remove(block);
  idle_.insert(block);
}

}  // namespace plimsoll::memory
