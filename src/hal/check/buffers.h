// The buffers that a device has handed out and not taken back, by address.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "hal/buffer.h"
#include "hal/dispatch.h"

namespace plimsoll::hal::check {

struct KnownBuffer {
  Buffer buffer;
  bool imported = false;  // the caller's memory, which may be read-only
};

// Thread-safe.
class Buffers {
 public:
  void add(const Buffer& buffer, bool imported);
  void remove(const Buffer& buffer);

  // The one that holds all of the region.
  std::optional<KnownBuffer> find(const Region& region) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, Buffer> own_;  // by address
  std::vector<Buffer> imported_;    // may overlap one another
};

}  // namespace plimsoll::hal::check
