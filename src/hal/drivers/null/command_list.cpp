#include "hal/drivers/null/command_list.h"

#include <chrono>
#include <cstring>

namespace plimsoll::hal::null {
namespace {

std::byte* pointer(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

void fill_words(std::byte* to, uint32_t pattern, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof pattern) std::memcpy(to + i, &pattern, sizeof pattern);
}

uint64_t now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

}  // namespace

void CommandList::copy(const Access& from, const Access& to) {
  commands_.push_back(
      {Command::Kind::kCopy, 0, pointer(to.region.address), pointer(from.region.address), to.region.row_bytes});
}

void CommandList::fill(const Access& to, uint32_t pattern) {
  commands_.push_back({Command::Kind::kFill, pattern, pointer(to.region.address), nullptr, to.region.row_bytes});
}

uint32_t CommandList::timestamp() {
  if (notes_.size() == kMaxTimestamps) return kNoTimestamp;
  const uint32_t number = static_cast<uint32_t>(notes_.size());
  notes_.push_back(0);
  commands_.push_back({Command::Kind::kTimestamp, number, nullptr, nullptr, 0});
  return number;
}

void CommandList::reset() {
  commands_.clear();
  notes_.clear();
}

void CommandList::run() noexcept {
  for (const Command& command : commands_) {
    switch (command.kind) {
      case Command::Kind::kCopy:
        std::memmove(command.to, command.from, command.bytes);
        break;
      case Command::Kind::kFill:
        fill_words(command.to, command.value, command.bytes);
        break;
      case Command::Kind::kTimestamp:
        notes_[command.value] = now();
        break;
    }
  }
}

}  // namespace plimsoll::hal::null
