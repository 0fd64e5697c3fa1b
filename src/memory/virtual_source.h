// A source without memory, for tests: the nth allocation lies at n << 32, and no host can see it.
#pragma once

#include <cstdint>

#include "memory/source.h"

namespace plimsoll::memory {

class VirtualSource final : public Source {
 public:
  explicit VirtualSource(size_t granularity = 4096) : granularity_(granularity) {}

  Caps caps() const override { return {granularity_, SIZE_MAX, SIZE_MAX}; }

  Allocation allocate(size_t bytes, Block& out) noexcept override {
    out = {nullptr, ++count_ << 32, bytes, count_};
    return Allocation::kOk;
  }

  void release(const Block&) noexcept override {}

 private:
  size_t granularity_;
  uint64_t count_ = 0;
};

}  // namespace plimsoll::memory
