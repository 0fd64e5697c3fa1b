// Small buffers: millions of them in a few thousand driver allocations.
//
// We write *block* for a driver allocation, *span* for a 16 KiB piece of it that holds slots of one size for one
// stream, *slot* for one small buffer. Per slot there is one bit; all else is per span.
//
// Invariants: a span is either unassigned (in free_spans_) or belongs to the bin of its (class, stream), where it is
// listed while it has a free slot; a bin lists at most one span without live slots, others go back to free_spans_ (so a
// scalar that comes and goes costs nothing). A block without live slots is idle: the pool may take it away.
//
// Freed slots may still be read or written by work in flight. A span remembers the latest use of each stream; whoever
// takes a slot of it for another stream is told to order after those. Nothing is stored in the slots themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "memory/driver_block.h"
#include "memory/slab_classes.h"

namespace plimsoll::memory {

constexpr size_t kSpanBytes = size_t{16} << 10;

struct SlabBlock;

struct Span : Handle {
  Span() noexcept : Handle(true) {}

  static constexpr size_t kWords = kSpanBytes / 16 / 64;

  SlabBlock* owner = nullptr;
  uint64_t address = 0;
  std::byte* host = nullptr;
  uint16_t slots = 0;  // 0: unassigned
  uint16_t live = 0;
  uint16_t slot_class = 0;
  uint32_t stream = 0;
  bool fresh = false;  // assigned by an attempt that has not succeeded yet
  std::array<uint64_t, kWords> free_bits{};
  std::vector<Use> uses;  // of freed slots, the latest of each stream
  Links<Span> links;      // in its bin or in the free spans

  size_t slot_size() const noexcept { return slot_bytes(slot_class); }
  size_t index_of(const Buffer& buffer) const noexcept { return (buffer.address - address) / slot_size(); }
};

struct SlabBlock : DriverBlock {
  // For a block of `bytes`; place says where it lies. In two steps, so that the driver is asked last.
  explicit SlabBlock(size_t bytes) : DriverBlock(true, {}), spans(bytes / kSpanBytes) {}
  void place(const Block& from_driver) noexcept;

  std::vector<Span> spans;
  size_t live = 0;    // slots
  bool idle = false;  // in the pool's idle queue

  bool done(const UseBoard& board) const noexcept;
  void collect_uses(std::vector<Use>& uses) const;
};

// Owns no driver memory: the pool brings blocks and takes idle ones away.
class SlabHeap {
 public:
  enum class From { kOwnStream, kAnyStream };

  // A slot of at least `bytes` for `stream`, in `out`; false where no span has one: add a block, or, failing that, take
  // from the spans of other streams. Constant time.
  bool take(size_t bytes, uint32_t stream, From from, Buffer& out);

  // Puts a slot back. False in the one case that its use could not be noted for want of heap memory: it then stays
  // live.
  bool put(const Buffer& buffer, Use last_use) noexcept;

  // Undoes take, exactly when the latest takes are undone in reverse order; settle makes one final.
  void untake(const Buffer& buffer) noexcept;
  static void settle(Span& span) noexcept { span.fresh = false; }

  // A block of a multiple of kSpanBytes. It stays where it is until removed.
  void add(SlabBlock& block) noexcept;

  // pre: no live slots.
  void remove(SlabBlock& block) noexcept;

  // What must finish before `stream` may write a slot of this span; drops what `board` says has finished.
  static void order(Span& span, uint32_t stream, const UseBoard& board, std::vector<Use>& order_after);

  size_t block_bytes() const noexcept { return block_bytes_; }
  size_t live_bytes() const noexcept { return live_bytes_; }
  bool is_valid() const noexcept;

 private:
  using SpanList = IntrusiveList<Span, &Span::links>;
  using BinKey = std::pair<size_t, uint32_t>;  // class, stream

  Span* span_for(size_t slot_class, uint32_t stream, From from);
  void assign(Span& span, size_t slot_class, uint32_t stream) noexcept;
  void unassign(Span& span, SpanList& bin) noexcept;
  SpanList& free_slot(Span& span, size_t index) noexcept;

  std::map<BinKey, SpanList> bins_;  // spans with free slots; a map, so that other streams are tried in a fixed order
  SpanList free_spans_;
  size_t block_bytes_ = 0;
  size_t live_bytes_ = 0;
};

}  // namespace plimsoll::memory
