#include "memory/idle_queue.h"

namespace plimsoll::memory {

void IdleQueue::insert(DriverBlock& block) noexcept {
  DriverBlock* place = blocks_.back();
  while (place && place->stamp > block.stamp) place = BlockList::previous(*place);
  blocks_.insert_after(place, block);
  bytes_ += block.block.bytes;
  ++count_;
}

void IdleQueue::remove(DriverBlock& block) noexcept {
  blocks_.remove(block);
  bytes_ -= block.block.bytes;
  --count_;
}

bool IdleQueue::is_valid() const noexcept {
  size_t bytes = 0;
  size_t count = 0;
  uint64_t last = 0;
  for (const DriverBlock* block = blocks_.front(); block; block = BlockList::next(*block)) {
    if (block->stamp <= last) return false;
    last = block->stamp;
    bytes += block->block.bytes;
    ++count;
  }
  return bytes == bytes_ && count == count_;
}

}  // namespace plimsoll::memory
