// A list of the device below, which may never be sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hal/command_list.h"

namespace plimsoll::hal::fault {

class CommandList final : public hal::CommandList {
 public:
  explicit CommandList(std::unique_ptr<hal::CommandList> inner) : inner_(std::move(inner)) {}

  void dispatch(const Dispatch& dispatch) override { inner_->dispatch(dispatch); }
  void barrier() override { inner_->barrier(); }
  void copy(const Access& from, const Access& to) override { inner_->copy(from, to); }
  void fill(const Access& to, uint32_t pattern) override { inner_->fill(to, pattern); }
  void label(const char* name) override { inner_->label(name); }

  uint32_t timestamp() override {
    const uint32_t number = inner_->timestamp();
    if (number != kNoTimestamp) ++notes_;
    return number;
  }

  // A list whose writes were dropped took no time: its notes are zeros.
  std::vector<uint64_t> timestamps() const override {
    return dropped_ ? std::vector<uint64_t>(notes_, 0) : inner_->timestamps();
  }

  void reset() override {
    inner_->reset();
    notes_ = 0;
    dropped_ = false;
  }

  hal::CommandList& inner() { return *inner_; }
  void drop() { dropped_ = true; }

 private:
  std::unique_ptr<hal::CommandList> inner_;
  size_t notes_ = 0;
  bool dropped_ = false;
};

}  // namespace plimsoll::hal::fault
