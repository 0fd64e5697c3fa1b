// Memory of one command list for the parameter blocks that push constants cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/drivers/vulkan/memory.h"

namespace plimsoll::hal::vulkan {

// Chunks are kept across resets: a list that is recorded again and again allocates once.
class ParameterArena {
 public:
  explicit ParameterArena(Memory& memory) : memory_(memory) {}
  ~ParameterArena();
  ParameterArena(const ParameterArena&) = delete;
  ParameterArena& operator=(const ParameterArena&) = delete;

  // Copies the block to where kernels can read it; sets its address on kOk only.
  Status put(std::span<const std::byte> block, uint64_t& address);

  // pre: the device reads no block any more.
  void reset();

 private:
  Status open_chunk(size_t bytes);

  Memory& memory_;
  std::vector<Buffer> chunks_;
  size_t current_ = 0;  // index of the chunk that is being filled; chunks_.size() when none is
  size_t used_ = 0;     // bytes of it
};

}  // namespace plimsoll::hal::vulkan
