#include "hal/drivers/sim/device.h"

#include <utility>

#include "plimsoll/errors.h"
#include "hal/drivers/sim/command_list.h"

namespace plimsoll::hal::sim {

Device::Device(Machine machine) : machine_(std::move(machine)), memory_(machine_), queue_(machine_, memory_) {}

Status Device::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (deny_allocations_.has(++allocations_)) return Status::kDenied;
  }
  return queue_.lost() ? Status::kLost : memory_.allocate(bytes, kind, out);
}

Status Device::import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept {
  return queue_.lost() ? Status::kLost : memory_.import_host(memory, bytes, out);
}

void Device::require_present() const {
  if (queue_.lost()) throw DeviceError("[" + machine_.info.name + "] the device is lost");
}

const hal::Kernel& Device::kernel(const KernelCode& code, std::span<const uint32_t> constants) {
  require_present();
  return kernels_.find(code.name, {}, constants);
}

const hal::Kernel& Device::kernel_from_source(const std::string& name, std::string_view source,
                                              std::span<const uint32_t> constants) {
  require_present();
  return kernels_.find(name, source, constants);
}

std::unique_ptr<hal::CommandList> Device::new_command_list() {
  require_present();
  return std::make_unique<CommandList>();
}

bool Device::set_resident(const Buffer& buffer, bool resident) noexcept {
  return !queue_.lost() && memory_.set_resident(buffer, resident);
}

void Device::set_schedule(const Schedule& schedule) {
  queue_.set_schedule(schedule);
  const std::lock_guard lock(mutex_);
  deny_allocations_ = schedule.deny_allocations;
}

uint64_t Device::allocations() const {
  const std::lock_guard lock(mutex_);
  return allocations_;
}

}  // namespace plimsoll::hal::sim
