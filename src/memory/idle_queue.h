// The driver blocks that nobody uses, least recently used first: what gives way when memory is short.
#pragma once

#include <cstddef>

#include "memory/driver_block.h"

namespace plimsoll::memory {

// Does not own the blocks.
class IdleQueue {
 public:
  bool empty() const noexcept { return blocks_.empty(); }
  size_t bytes() const noexcept { return bytes_; }
  size_t count() const noexcept { return count_; }
  DriverBlock* oldest() const noexcept { return blocks_.front(); }

  // At the place that the block's stamp gives it: constant time for the newest.
  void insert(DriverBlock& block) noexcept;
  void remove(DriverBlock& block) noexcept;

  bool is_valid() const noexcept;

 private:
  BlockList blocks_;
  size_t bytes_ = 0;
  size_t count_ = 0;
};

}  // namespace plimsoll::memory
