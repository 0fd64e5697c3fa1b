// One attempt at a request of several buffers: all of them or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "memory/refusal.h"
#include "memory/request.h"
#include "memory/store.h"

namespace plimsoll::memory {

// Cached buffers and slots are taken first, then what is missing is checked against the limits, then room is made, and
// only then the driver asked. Until commit everything taken goes back to its old place on destruction, so that a later
// attempt makes the same choices.
class Acquisition {
 public:
  // pre: out.size() >= requests.size().
  Acquisition(Store& store, std::span<const Request> requests, uint32_t stream, std::span<Buffer> out) noexcept;
  ~Acquisition();
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  // Fills `result`. A refusal is returned, nothing else of it is done. `until_denial` counts down to a refusal that a
  // test asked for; 0 for none.
  std::optional<Refusal> run(AcquireResult& result, uint64_t& until_denial);

 private:
  enum class Step { kOn, kWait, kRefused };

  void begin();
  Step take_cached(AcquireResult& result);
  Step check();
  Step take_missing_slots();
  Step take_missing_pages();
  Step take_slot_somehow(size_t index);
  Step reserve(size_t bytes, size_t blocks);
  Step judge(Store::Grant grant, size_t bytes);
  Step refuse(Refusal::Cause cause, size_t bytes);
  void order_after_slots(AcquireResult& result);
  void commit(AcquireResult& result);
  void roll_back() noexcept;

  bool is_small(size_t bytes) const noexcept;
  size_t charge(size_t bytes) const noexcept;

  Store& store_;
  std::span<const Request> requests_;
  std::span<Buffer> out_;
  uint32_t stream_;
  size_t missing_bytes_ = 0;  // of page buffers
  size_t missing_pages_ = 0;
  size_t missing_slots_ = 0;
  bool wait_for_all_ = false;
  size_t wait_bytes_ = 0;
  size_t wait_blocks_ = 0;
  Refusal refusal_;
  bool committed_ = false;
  bool made_blocks_ = false;
};

}  // namespace plimsoll::memory
