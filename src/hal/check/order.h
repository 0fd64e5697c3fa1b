// Replays command lists against the regions that their commands state.
//
// Two commands conflict where they share a byte that one of them writes. In a list a barrier orders them. Between lists
// a ticket does: a list that starts after ticket t starts after everything up to t; so does one that was sent after
// somebody saw t done. A barrier is needless unless a command behind it, up to the next barrier, conflicts with one
// before it, down to the one before; a wait is needless unless the list conflicts with the very list it waits for.
//
// The word that ends a list (its canary: a fill of 4 bytes) is different: it says that all is done, so a barrier must
// stand before it whatever it conflicts with, and that barrier is never needless.
//
// Which buffer an access lies in is looked up, not believed: a wrong Access::home shows as a missing barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "hal/check/buffers.h"
#include "hal/check/command.h"
#include "hal/check/report.h"

namespace plimsoll::hal::check {

// Thread-safe.
class OrderJudge {
 public:
  // Both outlive the judge.
  OrderJudge(const Buffers& buffers, Report& report) : buffers_(buffers), report_(report) {}

  // A list was sent and became `ticket`. `seen`: the latest ticket that the caller knew to be done when it sent it.
  // pre: called in the order of tickets.
  void judge(std::span<const Command> commands, Ticket ticket, Ticket after, Ticket seen);

  // The buffer at that address was given back: whatever touched it is done.
  void forget(uint64_t buffer);

 private:
  // One access of a command of a list.
  struct Place {
    Access access;
    uint64_t buffer;
    Ticket list;
    size_t index;
    const char* kernel;
    const char* label;
    size_t work;   // the command that it is a piece of
    size_t epoch;  // distinct barriers before it
  };
  struct List {
    std::vector<Place> places;
    std::vector<size_t> barriers;  // the indices of those that begin epochs 1, 2, ...
  };

  List lay_out(std::span<const Command> commands, Ticket ticket);
  void add_places(const Command& command, Place place, List& list);
  void judge_canary(std::span<const Command> commands, Ticket ticket);
  void judge_within(const List& list, size_t exempt);
  void judge_before(const List& list, Ticket after, Ticket seen);
  void remember(const List& list, Ticket seen);

  void report(Fault fault, const Place& place);
  void report(Fault fault, const Place& place, const Place& earlier);
  void report_barrier(Ticket list, size_t index);

  static bool conflict(const Place& a, const Place& b);
  static Site site_of(const Place& place);

  const Buffers& buffers_;
  Report& report_;
  std::mutex mutex_;                                       // guards all below
  std::unordered_map<uint64_t, std::vector<Place>> past_;  // by buffer
  uint64_t lists_until_sweep_ = 0;
};

}  // namespace plimsoll::hal::check
