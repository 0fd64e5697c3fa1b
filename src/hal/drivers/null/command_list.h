// Copies, fills and timestamps as recorded; dispatches and barriers leave nothing to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/command_list.h"

namespace plimsoll::hal::null {

class CommandList final : public hal::CommandList {
 public:
  void dispatch(const Dispatch&) override {}
  void barrier() override {}
  void copy(const Access& from, const Access& to) override;
  void fill(const Access& to, uint32_t pattern) override;
  uint32_t timestamp() override;
  std::vector<uint64_t> timestamps() const override { return notes_; }
  void label(const char*) override {}
  void reset() override;

  // Does what was recorded, in order.
  void run() noexcept;

 private:
  struct Command {
    enum class Kind : uint8_t { kCopy, kFill, kTimestamp };
    Kind kind;
    uint32_t value;  // the fill's pattern, the note's number
    std::byte* to;
    const std::byte* from;
    size_t bytes;
  };

  std::vector<Command> commands_;
  std::vector<uint64_t> notes_;
};

}  // namespace plimsoll::hal::null
