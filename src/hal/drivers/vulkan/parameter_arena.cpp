#include "hal/drivers/vulkan/parameter_arena.h"

#include <algorithm>
#include <cstring>

namespace plimsoll::hal::vulkan {
namespace {

constexpr size_t kChunkBytes = size_t{64} << 10;
constexpr size_t kBlockAlignment = 16;  // of the block's address: that of its widest possible member, a vec4

}  // namespace

ParameterArena::~ParameterArena() {
  for (const Buffer& chunk : chunks_) memory_.release(chunk);
}

Status ParameterArena::put(std::span<const std::byte> block, uint64_t& address) {
  if (current_ == chunks_.size() || used_ + block.size() > chunks_[current_].bytes) {
    if (const Status status = open_chunk(block.size()); status != Status::kOk) return status;
  }
  const Buffer& chunk = chunks_[current_];
  std::memcpy(chunk.host + used_, block.data(), block.size());
  address = chunk.address + used_;
  used_ += (block.size() + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
  return Status::kOk;
}

// Makes the next chunk that holds `bytes` the current one.
Status ParameterArena::open_chunk(size_t bytes) {
  size_t next = current_ == chunks_.size() ? current_ : current_ + 1;
  while (next < chunks_.size() && chunks_[next].bytes < bytes) ++next;
  if (next == chunks_.size()) {
    Buffer chunk;
    const Status status = memory_.allocate_upload(std::max(kChunkBytes, bytes), chunk);
    if (status != Status::kOk) return status;
    chunks_.push_back(chunk);
  }
  current_ = next;
  used_ = 0;
  return Status::kOk;
}

void ParameterArena::reset() {
  current_ = 0;
  used_ = 0;
}

}  // namespace plimsoll::hal::vulkan
