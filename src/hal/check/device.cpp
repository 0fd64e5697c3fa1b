#include "hal/check/device.h"

#include <utility>

#include "hal/check/command_list.h"

namespace plimsoll::hal::check {

Device::Device(std::unique_ptr<hal::Device> inner, std::shared_ptr<Report> report, Mode mode)
    : inner_(std::move(inner)),
      report_(std::move(report)),
      judge_(buffers_, *report_),
      prover_(mode == Mode::kStatements && can_prove(inner_->info())
                  ? std::optional<StatementProver>(std::in_place, *inner_, buffers_, *report_)
                  : std::nullopt),
      queue_(*inner_, judge_, prover_ ? &*prover_ : nullptr, *report_) {}

Status Device::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  const Status status = inner_->allocate(bytes, kind, out);
  if (status == Status::kOk) buffers_.add(out, false);
  return status;
}

Status Device::import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept {
  const Status status = inner_->import_host(memory, bytes, out);
  if (status == Status::kOk) buffers_.add(out, true);
  return status;
}

void Device::release(const Buffer& buffer) noexcept {
  buffers_.remove(buffer);
  judge_.forget(buffer.address);
  inner_->release(buffer);
}

std::unique_ptr<hal::CommandList> Device::new_command_list() {
  return std::make_unique<CommandList>(prover_ ? nullptr : inner_->new_command_list());
}

}  // namespace plimsoll::hal::check
