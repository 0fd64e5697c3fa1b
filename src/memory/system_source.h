// System memory, one anonymous mapping per block: a block given back leaves the process at once.
#pragma once

#include "memory/source.h"

namespace plimsoll::memory {

// The system's own cap counts mappings (Linux: vm.max_map_count); half of it is left to the rest of the process.
class SystemSource final : public Source {
 public:
  SystemSource();

  Caps caps() const override { return caps_; }
  Allocation allocate(size_t bytes, Block& out) noexcept override;
  void release(const Block& block) noexcept override;

 private:
  Caps caps_;
};

}  // namespace plimsoll::memory
