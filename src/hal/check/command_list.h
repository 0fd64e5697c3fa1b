// A list that remembers what is recorded in it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hal/check/command.h"
#include "hal/command_list.h"

namespace plimsoll::hal::check {

class CommandList final : public hal::CommandList {
 public:
  // Null: nothing but a memory of its commands, without a clock.
  explicit CommandList(std::unique_ptr<hal::CommandList> inner) : inner_(std::move(inner)) {}

  void dispatch(const Dispatch& dispatch) override;
  void barrier() override;
  void copy(const Access& from, const Access& to) override;
  void fill(const Access& to, uint32_t pattern) override;
  uint32_t timestamp() override { return inner_ == nullptr ? kNoTimestamp : inner_->timestamp(); }
  std::vector<uint64_t> timestamps() const override;
  void label(const char* name) override;
  void reset() override;

  hal::CommandList& inner() { return *inner_; }
  const std::vector<Command>& commands() const { return commands_; }

 private:
  std::unique_ptr<hal::CommandList> inner_;
  std::vector<Command> commands_;
  const char* label_ = "";
};

}  // namespace plimsoll::hal::check
