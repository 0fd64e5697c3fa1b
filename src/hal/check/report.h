// Where checked devices put what they find.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "hal/check/finding.h"

namespace plimsoll::hal::check {

// What was judged. A report without findings proves nothing unless something was.
struct Counts {
  uint64_t findings = 0;
  uint64_t lists = 0;
  uint64_t commands = 0;  // dispatches, copies and fills
  uint64_t barriers = 0;
  uint64_t waits = 0;           // lists that wait for a ticket
  uint64_t needless_waits = 0;  // those that conflict with nothing in the list that they wait for
  uint64_t statements = 0;      // dispatches whose statements were proven, or found false
  uint64_t unproven = 0;        // dispatches whose statements could not be: the host sees too little of their memory
};

// Thread-safe.
class Report {
 public:
  void add(Finding finding);
  void count(const Counts& more);

  Counts counts() const;
  // The first kMaxKept.
  std::vector<Finding> findings() const;
  // Warns of what was found since the last call. Hold no lock.
  void log_news();

  static constexpr size_t kMaxKept = 1000;

 private:
  mutable std::mutex mutex_;
  std::vector<Finding> findings_;
  Counts counts_;
  size_t logged_ = 0;
};

}  // namespace plimsoll::hal::check
