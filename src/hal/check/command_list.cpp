#include "hal/check/command_list.h"

namespace plimsoll::hal::check {

void CommandList::dispatch(const Dispatch& dispatch) {
  Command& command = commands_.emplace_back();
  command.kind = Command::Kind::kDispatch;
  command.accesses.assign(dispatch.accesses.begin(), dispatch.accesses.end());
  command.label = dispatch.label;
  command.kernel = dispatch.kernel;
  command.parameters.assign(dispatch.parameters.begin(), dispatch.parameters.end());
  command.groups = dispatch.groups;
  command.cost = dispatch.cost;
  command.continued = dispatch.continued;
  if (inner_ != nullptr) inner_->dispatch(dispatch);
}

void CommandList::barrier() {
  commands_.emplace_back();
  if (inner_ != nullptr) inner_->barrier();
}

void CommandList::copy(const Access& from, const Access& to) {
  Command& command = commands_.emplace_back();
  command.kind = Command::Kind::kCopy;
  command.accesses = {from, to};
  command.label = label_;
  if (inner_ != nullptr) inner_->copy(from, to);
}

void CommandList::fill(const Access& to, uint32_t pattern) {
  Command& command = commands_.emplace_back();
  command.kind = Command::Kind::kFill;
  command.accesses = {to};
  command.label = label_;
  command.pattern = pattern;
  if (inner_ != nullptr) inner_->fill(to, pattern);
}

std::vector<uint64_t> CommandList::timestamps() const {
  return inner_ == nullptr ? std::vector<uint64_t>{} : inner_->timestamps();
}

void CommandList::label(const char* name) {
  label_ = name;
  if (inner_ != nullptr) inner_->label(name);
}

void CommandList::reset() {
  commands_.clear();
  label_ = "";
  if (inner_ != nullptr) inner_->reset();
}

}  // namespace plimsoll::hal::check
