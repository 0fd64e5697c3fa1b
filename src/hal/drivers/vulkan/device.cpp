#include "hal/drivers/vulkan/device.h"

#include <utility>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/command_list.h"

namespace plimsoll::hal::vulkan {

Device::Device(std::shared_ptr<const Instance> instance, const Probe& probe)
    : native_(std::move(instance), probe), memory_(native_), kernels_(native_), queue_(native_) {}

void Device::refuse_if_lost() const {
  if (native_.lost()) throw DeviceError(fmt::format("[{}] the device is lost", info().name));
}

Status Device::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  return memory_.allocate(bytes, kind, out);
}

void Device::release(const Buffer& buffer) noexcept { memory_.release(buffer); }

Status Device::import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept {
  return memory_.import_host(memory, bytes, out);
}

const hal::Kernel& Device::kernel(const KernelCode& code, std::span<const uint32_t> constants) {
  refuse_if_lost();
  return kernels_.get(code, constants);
}

const hal::Kernel& Device::kernel_from_source(const std::string& name, std::string_view source,
                                              std::span<const uint32_t> constants) {
  refuse_if_lost();
  return kernels_.get_from_source(name, source, constants);
}

std::unique_ptr<hal::CommandList> Device::new_command_list() {
  refuse_if_lost();
  return std::make_unique<CommandList>(native_, memory_, kernels_.layout());
}

MemoryBudget Device::memory_budget() const noexcept { return memory_.budget(); }

bool Device::set_resident(const Buffer& buffer, bool resident) noexcept {
  return memory_.set_resident(buffer, resident);
}

}  // namespace plimsoll::hal::vulkan
