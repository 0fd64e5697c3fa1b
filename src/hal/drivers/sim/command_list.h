// What a list holds, each command with what it costs.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/command_list.h"
#include "hal/drivers/sim/machine.h"
#include "hal/drivers/sim/memory.h"
#include "hal/drivers/sim/schedule.h"
#include "hal/drivers/sim/time.h"

namespace plimsoll::hal::sim {

struct Command {
  enum class Kind : uint8_t { kDispatch, kBarrier, kCopy, kFill, kTimestamp };
  Kind kind;
  uint32_t value = 0;              // the fill's pattern, the note's number
  const Kernel* kernel = nullptr;  // of a dispatch
  Cost cost = {};
  uint64_t from = 0, to = 0, bytes = 0;  // of copies and fills
};

class CommandList final : public hal::CommandList {
 public:
  void dispatch(const Dispatch& dispatch) override;
  void barrier() override { commands_.push_back({.kind = Command::Kind::kBarrier}); }
  void copy(const Access& from, const Access& to) override;
  void fill(const Access& to, uint32_t pattern) override;
  uint32_t timestamp() override;
  std::vector<uint64_t> timestamps() const override { return notes_; }
  void label(const char*) override {}
  void reset() override;

  const std::vector<Command>& commands() const { return commands_; }
  size_t count(Command::Kind kind) const;

  // How long its commands take one after the other. Notes each timestamp as if the list started at time 0.
  Time measure(const Machine& machine, const Schedule& schedule, double slow, double paged);
  // Moves what measure noted to where the list starts.
  void start_at(Time start);

  // Makes the copies and fills.
  void make_writes(Memory& memory) const noexcept;

 private:
  std::vector<Command> commands_;
  std::vector<uint64_t> notes_;
};

}  // namespace plimsoll::hal::sim
