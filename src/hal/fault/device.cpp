#include "hal/fault/device.h"

#include <algorithm>
#include <utility>

#include "plimsoll/errors.h"
#include "hal/fault/command_list.h"

namespace plimsoll::hal::fault {
namespace {

DeviceInfo with_caps(DeviceInfo info, const Caps& caps) {
  info.max_buffer_bytes = std::min(info.max_buffer_bytes, caps.max_buffer_bytes);
  info.max_allocations = std::min(info.max_allocations, caps.max_allocations);
  info.max_groups = std::min(info.max_groups, caps.max_groups);
  return info;
}

}  // namespace

Device::Device(std::unique_ptr<hal::Device> inner, std::shared_ptr<Plan> plan, const Caps& caps)
    : inner_(std::move(inner)),
      plan_(std::move(plan)),
      info_(with_caps(inner_->info(), caps)),
      queue_(*inner_, *plan_) {}

// Counts one more buffer, unless the answer is not kOk.
Status Device::refusal(size_t bytes) noexcept {
  if (plan_->denies_allocation()) return Status::kDenied;
  if (queue_.lost()) return Status::kLost;
  if (bytes > info_.max_buffer_bytes) return Status::kTooLarge;
  return counted(buffers_++ < info_.max_allocations ? Status::kOk : Status::kTooMany);
}

// Takes the count back if the buffer was not made.
Status Device::counted(Status status) noexcept {
  if (status != Status::kOk) --buffers_;
  return status;
}

Status Device::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  const Status status = refusal(bytes);
  return status == Status::kOk ? counted(inner_->allocate(bytes, kind, out)) : status;
}

Status Device::import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept {
  const Status status = refusal(bytes);
  return status == Status::kOk ? counted(inner_->import_host(memory, bytes, out)) : status;
}

void Device::release(const Buffer& buffer) noexcept {
  inner_->release(buffer);
  --buffers_;
}

void Device::require_present() const {
  if (queue_.lost()) throw DeviceError("[" + info_.name + "] the device is lost");
}

void Device::require_kernel(const std::string& name) {
  require_present();
  if (plan_->refuses_kernel(name)) throw DeviceError("[" + name + "] the device refuses the kernel");
}

const Kernel& Device::kernel(const KernelCode& code, std::span<const uint32_t> constants) {
  require_kernel(code.name);
  return inner_->kernel(code, constants);
}

const Kernel& Device::kernel_from_source(const std::string& name, std::string_view source,
                                         std::span<const uint32_t> constants) {
  require_kernel(name);
  return inner_->kernel_from_source(name, source, constants);
}

std::unique_ptr<hal::CommandList> Device::new_command_list() {
  require_present();
  return std::make_unique<CommandList>(inner_->new_command_list());
}

bool Device::set_resident(const Buffer& buffer, bool resident) noexcept {
  return !queue_.lost() && inner_->set_resident(buffer, resident);
}

}  // namespace plimsoll::hal::fault
