// Wired memory: which buffers of a device stay resident under pressure, up to a limit.
//
// Buffers are wired in sets of at most a twentieth of the device's working set (64 MiB at least), so that what loses
// residency under pressure comes back in small parts. There are at most 32; after that the emptiest one at rest grows.
// A set rests when no work that was said to touch it is in flight: only then do buffers, at rest themselves, join or
// leave it. So wishes, a new buffer's or a new limit's, are carried out as sets come to rest, by settle(); what does
// not fit waits, in order of arrival. The limit refuses nothing: it only says how much may be wired. It is 0 at first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hal/device.h"
#include "memory/use.h"

namespace plimsoll::memory {

// Thread-safe. Holds its lock while it calls the device and the board.
class Residency {
 public:
  static constexpr size_t kMaxSets = 32;
  static constexpr size_t kSmallestSet = size_t{64} << 20;  // bytes

  // Both outlive it.
  Residency(hal::Device& device, const UseBoard& board);

  // Whether the device can keep memory resident. If not, nothing below has an effect.
  bool can_wire() const noexcept { return can_wire_; }

  // A buffer that may be wired from the next settle() on. One that there is no host memory to remember stays unwired.
  void add(const hal::Buffer& buffer) noexcept;

  // The buffer is about to be released. pre: !held(address).
  void remove(uint64_t address) noexcept;

  // Whether the buffer is in a set that does not rest; then, what the set waits for.
  bool held(uint64_t address) const noexcept;
  void add_holders(uint64_t address, std::vector<Use>& uses) const;

  // Work that is about to be submitted touches the buffer, or, unknown which, any of them.
  void touch(uint64_t address, Use use);
  void touch_all(Use use);

  // Unwires what is over the limit, latest arrivals first, then wires what waits, earliest first, as far as sets rest.
  void settle() noexcept;

  // Settles. Returns the limit before.
  size_t set_limit(size_t bytes) noexcept;

  size_t limit() const;
  size_t wired() const;
  size_t set_bytes() const noexcept { return set_bytes_; }  // what a set holds at most, before all have grown

  // Bytes in each set, for tests and reports.
  std::vector<size_t> sets() const;

  // For tests: recounts everything.
  bool is_valid() const;

 private:
  struct Member {
    hal::Buffer buffer;
    std::optional<size_t> set;    // none: it waits
    std::vector<Use> touched_by;  // while it waits
    bool refused = false;         // the device did not want it; asked again when the limit changes
  };
  struct Set {
    size_t bytes = 0;
    std::vector<Use> touched_by;
  };
  using Members = std::map<uint64_t, Member>;  // by number of arrival

  bool done(const std::vector<Use>& uses) const noexcept;
  Member* find(uint64_t address) noexcept;
  const Set* set_of(uint64_t address) const noexcept;
  void settle_locked() noexcept;
  void unwire_excess() noexcept;
  void wire_waiting() noexcept;
  std::optional<size_t> choose_set(size_t bytes) noexcept;
  void wire(Member& member, size_t set) noexcept;
  void unwire(Member& member) noexcept;

  hal::Device& device_;
  const UseBoard& board_;
  const bool can_wire_;
  const size_t set_bytes_;
  mutable std::mutex mutex_;  // guards the rest
  Members members_;
  std::unordered_map<uint64_t, uint64_t> arrival_;  // by address
  std::vector<Set> sets_;
  std::vector<Use> all_touched_by_;
  uint64_t next_arrival_ = 0;
  size_t limit_ = 0;
  size_t wired_ = 0;
  bool unsettled_ = false;  // there may be something to do
};

}  // namespace plimsoll::memory
