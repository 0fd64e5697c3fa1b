// Everything that a pool holds from its driver, and the order in which it gives way. Without a lock: its pool has one.
//
// A driver block is taken (a live page buffer, or a slab block with live slots), idle (in the idle queue), or returning
// (dropped, waiting until work in flight has finished with it). Only the last step asks the board what has finished;
// all choices before it depend on the order of calls alone, so peaks repeat to the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "memory/buffer_cache.h"
#include "memory/idle_queue.h"
#include "memory/ledger.h"
#include "memory/refusal.h"
#include "memory/slab.h"
#include "memory/source.h"
#include "memory/use.h"

namespace plimsoll::memory {

class Store {
 public:
  enum class Room {
    kOk,
    kWait,  // blocks on their way back stand in the way: wait for waits()
  };
  enum class Grant { kOk, kWait, kDenied, kTooMany, kTooLarge };

  Store(std::unique_ptr<Source> source, const Limits& limits, const UseBoard& board);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const Ledger& ledger() const noexcept { return ledger_; }
  const Caps& caps() const noexcept { return caps_; }
  const UseBoard& board() const noexcept { return board_; }
  SlabHeap& slabs() noexcept { return slabs_; }
  const BufferCache& cache() const noexcept { return cache_; }

  // Unused parts of slab blocks with live slots: the cached bytes that cannot give way.
  size_t pinned() const noexcept { return ledger_.cached() - idle_.bytes(); }

  // Why `bytes` more in `blocks` more driver allocations cannot be had, whatever gives way; nothing if they can.
  std::optional<Refusal::Cause> refuses(size_t bytes, size_t blocks) const noexcept;

  // Makes room for them: drops idle blocks, least recently used first (all, when nine tenths must go). pre: !refuses.
  Room reserve(size_t bytes, size_t blocks) noexcept;

  // What to wait for until reserve finds room for them, oldest first; or until all that is returning has come back.
  std::vector<Use> waits(size_t bytes, size_t blocks) const;
  std::vector<Use> all_waits() const;

  // Page buffers. fresh allocates, taken but not yet live; discard gives back what never became live.
  Grant fresh(size_t bytes, PageRecord*& out);
  void discard(PageRecord* record) noexcept;
  void take(PageRecord& record) noexcept;
  void untake(PageRecord& record) noexcept;
  void make_live(PageRecord& record, const Request& request) noexcept;
  void release(PageRecord& record, Use last_use) noexcept;

  // Slots. grow brings a slab block, of slab_block_size while `pending` bytes are still to be reserved.
  size_t slab_block_size(size_t pending) const noexcept;
  Grant grow(size_t bytes);
  bool take_slot(size_t bytes, uint32_t stream, SlabHeap::From from, Buffer& out);
  void untake_slot(const Buffer& buffer) noexcept;
  void release_slot(const Buffer& buffer, Use last_use) noexcept;

  void map(size_t bytes) noexcept { ledger_.map(bytes); }
  void unmap(size_t bytes) noexcept { ledger_.unmap(bytes); }
  void note_peaks() noexcept { ledger_.note_peaks(); }
  void reset_peak() noexcept { ledger_.reset_peak(); }

  size_t set_memory_limit(size_t bytes) noexcept;
  size_t set_cache_limit(size_t bytes) noexcept;
  size_t set_wired_limit(size_t bytes) noexcept;
  bool can_wire() const noexcept { return source_->can_wire(); }
  size_t wired() const noexcept { return source_->wired(); }
  size_t set_object_limit(size_t count) noexcept;

  // Gives idle blocks up until the limits hold, or all of them.
  void trim() noexcept;
  void drop_all() noexcept;

  // Hands blocks back whose uses have finished; the quick one stops at the first that has not.
  void collect() noexcept;
  void collect_quickly() noexcept;

  // The largest live page buffers, largest first.
  std::vector<LiveBuffer> largest(size_t count) const;

  bool is_valid() const noexcept;

 private:
  void evict(size_t bytes) noexcept;
  void make_idle(SlabBlock& block) noexcept;
  void drop(DriverBlock& block) noexcept;
  bool done(const DriverBlock& block) const noexcept;
  void give_back(DriverBlock& block) noexcept;
  size_t blocks_in_use() const noexcept;
  Grant allocate(size_t bytes, Block& out) noexcept;
  void add_waits(const DriverBlock& block, std::vector<Use>& uses) const;

  std::unique_ptr<Source> source_;
  const UseBoard& board_;
  Caps caps_;
  Ledger ledger_;
  BufferCache cache_;
  SlabHeap slabs_;
  IdleQueue idle_;
  BlockList returning_;
  BlockList slab_blocks_in_use_;
  PageList live_;
  uint64_t clock_ = 0;
};

}  // namespace plimsoll::memory
