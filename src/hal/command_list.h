// A recorded sequence of work for a device.
//
// Commands of one list may run at the same time, unless a barrier stands between them. Not thread-safe. A list is
// recorded, submitted once, and, when its ticket is done, reset for the next use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/dispatch.h"

namespace plimsoll::hal {

class CommandList {
 public:
  CommandList() = default;
  virtual ~CommandList() = default;
  CommandList(const CommandList&) = delete;
  CommandList& operator=(const CommandList&) = delete;

  // Maps to vkCmdDispatch.
  virtual void dispatch(const Dispatch& dispatch) = 0;

  // Everything recorded before, and everything that this list's submission is ordered after, ends, its writes visible,
  // before anything recorded later starts. Covers dispatches, copies and fills.
  virtual void barrier() = 0;

  // Between buffers of this device, device or staging. Both accesses are stated: same number of bytes, one row each.
  virtual void copy(const Access& from, const Access& to) = 0;

  // Writes a 32-bit pattern. The region is one row; address and bytes are multiples of 4.
  virtual void fill(const Access& to, uint32_t pattern) = 0;

  // Notes the device's clock after all earlier commands have ended (no barrier for later ones). Returns the number of
  // the note, counted from 0; kNoTimestamp when the device has no clock or the list is full (kMaxTimestamps).
  static constexpr uint32_t kMaxTimestamps = 1024;
  static constexpr uint32_t kNoTimestamp = UINT32_MAX;
  virtual uint32_t timestamp() = 0;

  // The notes, in nanoseconds of the device's clock. pre: the list's ticket is done.
  virtual std::vector<uint64_t> timestamps() const = 0;

  // Names what follows, for captures. Of static lifetime.
  virtual void label(const char* name) = 0;

  // Empties the list for recording. pre: new, or its ticket is done, or never submitted.
  virtual void reset() = 0;
};

}  // namespace plimsoll::hal
