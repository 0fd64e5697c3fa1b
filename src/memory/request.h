// What a caller asks a pool for, and what it gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/use.h"

namespace plimsoll::memory {

enum class Tag : uint8_t {
  kArray,    // an array's elements
  kScratch,  // work space of one operation
  kStaging,  // copies on their way between host and device
  kLibrary,  // work space and packed weights of libraries
};

struct Request {
  size_t bytes = 0;
  Tag tag = Tag::kArray;
  const char* origin = "";  // the operation that makes it; a static string
};

// A plain handle without ownership: who acquired it releases it, once. Page-sized buffers are aligned to the driver's
// page, buffers of 64 bytes or more to 64 bytes, smaller ones to 16.
struct Buffer {
  void* host = nullptr;
  uint64_t address = 0;
  size_t bytes = 0;        // charged: the request rounded up to what it really takes
  void* record = nullptr;  // the pool's own; null for an empty buffer
};

struct AcquireResult {
  bool acquired = false;
  bool made_blocks = false;      // the driver was asked for memory
  std::vector<Use> wait_for;     // when not acquired: wait for these, holding no lock, then call again
  std::vector<Use> order_after;  // work on other streams that must finish before the buffers are written
};

}  // namespace plimsoll::memory
