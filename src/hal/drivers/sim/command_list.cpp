#include "hal/drivers/sim/command_list.h"

#include <algorithm>

namespace plimsoll::hal::sim {
namespace {

double seconds_of(const Command& command, const Machine& machine, const Schedule& schedule, double paged) {
  switch (command.kind) {
    case Command::Kind::kDispatch: {
      const char* const name = command.kernel->name();
      return schedule.factor_of(name) * machine.seconds(name, command.cost, paged);
    }
    case Command::Kind::kBarrier:
      return machine.barrier_seconds;
    case Command::Kind::kCopy:
      return machine.seconds(2.0 * static_cast<double>(command.bytes), paged);
    case Command::Kind::kFill:
      return machine.seconds(static_cast<double>(command.bytes), paged);
    case Command::Kind::kTimestamp:
      return 0;
  }
  return 0;
}

}  // namespace

void CommandList::dispatch(const Dispatch& dispatch) {
  commands_.push_back({.kind = Command::Kind::kDispatch, .kernel = dispatch.kernel, .cost = dispatch.cost});
}

void CommandList::copy(const Access& from, const Access& to) {
  commands_.push_back({.kind = Command::Kind::kCopy,
                       .from = from.region.address,
                       .to = to.region.address,
                       .bytes = to.region.row_bytes});
}

void CommandList::fill(const Access& to, uint32_t pattern) {
  commands_.push_back(
      {.kind = Command::Kind::kFill, .value = pattern, .to = to.region.address, .bytes = to.region.row_bytes});
}

uint32_t CommandList::timestamp() {
  if (notes_.size() == kMaxTimestamps) return kNoTimestamp;
  const uint32_t number = static_cast<uint32_t>(notes_.size());
  notes_.push_back(0);
  commands_.push_back({.kind = Command::Kind::kTimestamp, .value = number});
  return number;
}

void CommandList::reset() {
  commands_.clear();
  notes_.clear();
}

size_t CommandList::count(Command::Kind kind) const {
  return static_cast<size_t>(
      std::count_if(commands_.begin(), commands_.end(), [&](const Command& command) { return command.kind == kind; }));
}

Time CommandList::measure(const Machine& machine, const Schedule& schedule, double slow, double paged) {
  double seconds = slow * machine.list_seconds;
  for (const Command& command : commands_) {
    seconds += slow * seconds_of(command, machine, schedule, paged);
    if (command.kind == Command::Kind::kTimestamp) notes_[command.value] = from_seconds(seconds);
  }
  return from_seconds(seconds);
}

void CommandList::start_at(Time start) {
  for (uint64_t& note : notes_) note = sum(note, start);
}

void CommandList::make_writes(Memory& memory) const noexcept {
  for (const Command& command : commands_) {
    if (command.kind == Command::Kind::kCopy) memory.copy(command.from, command.to, command.bytes);
    if (command.kind == Command::Kind::kFill) memory.fill(command.to, command.bytes, command.value);
  }
}

}  // namespace plimsoll::hal::sim
