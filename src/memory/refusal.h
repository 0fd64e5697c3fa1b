// The refusal of a request: why, and the arithmetic of it in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plimsoll/errors.h"
#include "memory/request.h"

namespace plimsoll::memory {

class Store;

// A live page buffer, for the message.
struct LiveBuffer {
  size_t bytes = 0;
  Tag tag = Tag::kArray;
  const char* origin = "";
};

struct Refusal {
  enum class Cause {
    kMemoryLimit,
    kObjectLimit,  // of the user, or the driver's cap on the number of allocations
    kSizeCap,      // the driver's cap on one allocation
    kDriver,       // the driver said no although the limits agree
    kDriverCount,  // the driver says that there are too many allocations
  };

  Cause cause = Cause::kMemoryLimit;
  std::string origin;  // the operation that asked
  size_t asked = 0;    // bytes, rounded up to what they would take; for kSizeCap those of the one buffer
  size_t buffers = 1;
  size_t shortfall = 0;  // kMemoryLimit: bytes by which the limit is too small
};

// The exception for it, with what `store` holds now.
OutOfMemory make_error(const Refusal& refusal, const Store& store);

}  // namespace plimsoll::memory
