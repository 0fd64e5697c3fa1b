#include "hal/drivers/null/device.h"

#include "hal/drivers/null/command_list.h"

namespace plimsoll::hal::null {
namespace {

// Buffer::handle: whether the bytes are this device's to give back.
constexpr uint64_t kOwned = 1;
constexpr uint64_t kImported = 2;

}  // namespace

Status Device::allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept {
  std::byte* const memory = memory_.allocate(bytes);
  if (memory == nullptr) return Status::kDenied;
  const bool visible = info_.unified || kind == MemoryKind::kStaging;
  out = {reinterpret_cast<uint64_t>(memory), visible ? memory : nullptr, bytes, kind, kOwned};
  return Status::kOk;
}

void Device::release(const Buffer& buffer) noexcept {
  if (buffer.handle == kOwned) memory_.release(reinterpret_cast<std::byte*>(buffer.address), buffer.bytes);
}

Status Device::import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept {
  out = {reinterpret_cast<uint64_t>(memory), memory, bytes, MemoryKind::kStaging, kImported};
  return Status::kOk;
}

const hal::Kernel& Device::kernel(const KernelCode& code, std::span<const uint32_t> constants) {
  return kernels_.find(code.name, {}, constants);
}

const hal::Kernel& Device::kernel_from_source(const std::string& name, std::string_view source,
                                              std::span<const uint32_t> constants) {
  return kernels_.find(name, source, constants);
}

std::unique_ptr<hal::CommandList> Device::new_command_list() { return std::make_unique<CommandList>(); }

}  // namespace plimsoll::hal::null
