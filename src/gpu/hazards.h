// Says what a dispatch has to be ordered behind: a barrier inside the open command buffer, an earlier command buffer,
// or nothing.
//
// Conflicts are decided on stated regions (hal/dispatch.h): two accesses that share a byte, one of them writing. A
// barrier orders everything recorded before it, so only what was recorded since the last one can call for another;
// command buffers are ordered by sequence: one that starts after sequence n starts after all up to n.
//
// Guarded by the scheduling lock.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "hal/dispatch.h"

namespace plimsoll::gpu {

class HazardTracker {
 public:
  struct Order {
    bool barrier = false;  // needed before the dispatch
    uint64_t after = 0;    // the sequence that the open command buffer must start after; 0: none
  };

  // What the accesses of one dispatch conflict with.
  Order check(std::span<const hal::Access> accesses) const;

  // Notes a dispatch of the open command buffer, after check (and the barrier that it asked for).
  void record(std::span<const hal::Access> accesses);

  // A barrier was recorded in the open command buffer.
  void barrier() { ++epoch_; }

  // The open command buffer will start after `sequence`: accesses up to there are ordered.
  void start_after(uint64_t sequence) { ordered_ = ordered_ < sequence ? sequence : ordered_; }

  // The open command buffer becomes the past; its sequence was open().
  void commit();
  uint64_t open() const { return open_; }

  // Command buffers up to `sequence` are done: forgets them.
  void retire(uint64_t sequence) { retired_ = retired_ < sequence ? sequence : retired_; }

 private:
  struct Entry {
    hal::Region region;
    bool writes;
    uint64_t sequence;  // of its command buffer
    uint64_t epoch;     // barriers recorded before it
  };
  using Entries = std::vector<Entry>;

  void judge(const hal::Access& access, const Entry& entry, Order& order) const;
  void add(Entries& entries, const hal::Access& access);
  void sweep();

  std::unordered_map<uint64_t, Entries> homes_;
  uint64_t open_ = 1;
  uint64_t epoch_ = 0;
  uint64_t ordered_ = 0;
  uint64_t retired_ = 0;
  uint64_t commits_until_sweep_ = 0;
};

}  // namespace plimsoll::gpu
