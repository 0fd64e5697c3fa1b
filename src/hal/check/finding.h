// What the checker holds against a recorded command stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hal/dispatch.h"
#include "hal/queue.h"

namespace plimsoll::hal::check {

enum class Fault : uint8_t {
  // Of order: two commands share a byte that one of them writes.
  kMissingBarrier,  // in one list, and no barrier stands between them
  kMissingTicket,   // in two lists, and the later one neither waits for the other nor was sent after it was seen done
  kNeedlessBarrier,
  kUnorderedCanary,    // the word that ends a list is not written behind everything before it
  kFalseContinuation,  // marked as a piece of the dispatch before it, but it is another
  kOutsideBuffer,      // a region that does not lie in one buffer
  // Of statements: what a dispatch said of itself is not so.
  kWritesOutside,  // changed a byte that it does not state to write
  kReadsOutside,   // its results depend on bytes that it does not state to read
  kLeavesGaps,     // did not write a byte that it states to write
};

const char* to_string(Fault fault);

// A command of a list that was sent.
struct Site {
  Ticket list = 0;
  size_t index = 0;    // among the commands of the list, barriers included
  std::string kernel;  // "copy" and "fill" for those
  std::string label;
  Access access;  // the one that is at fault; of no meaning for a barrier
};

struct Finding {
  Fault fault;
  Site site;
  Site earlier;       // what it conflicts with; an empty kernel: nothing
  uint64_t byte = 0;  // of statements: the address of the first byte that is wrong
};

// One line with both commands and their regions.
std::string describe(const Finding& finding);

}  // namespace plimsoll::hal::check
