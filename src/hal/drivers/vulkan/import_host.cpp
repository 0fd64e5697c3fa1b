// Host memory as a buffer, through VK_EXT_external_memory_host.
#include <algorithm>

#include <unistd.h>

#include "hal/drivers/vulkan/memory.h"
#include "hal/drivers/vulkan/optional_features.h"

namespace plimsoll::hal::vulkan {
namespace {

// The device takes whole multiples of its alignment. Within a page the rest is mapped anyway; 0 when it may not be.
size_t importable_bytes(size_t bytes, size_t alignment) {
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return rounded == bytes || alignment <= page ? rounded : 0;
}

}  // namespace

Status Memory::import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept {
  if (device_.lost()) return Status::kLost;
  const Probe& probe = device_.probe();
  if (!has_external_host(probe.physical)) return Status::kDenied;
  const size_t alignment = probe.physical.external_host.minImportedHostPointerAlignment;
  const size_t rounded = importable_bytes(bytes, alignment);
  if (rounded == 0 || reinterpret_cast<uintptr_t>(memory) % alignment != 0) return Status::kDenied;
  if (const Status status = within_caps(rounded); status != Status::kOk) return status;
  return denied_without_memory([&] {
    Allocation made;
    made.bytes = bytes;
    Status status = create_buffer(rounded, true, made.buffer);
    if (status != Status::kOk) return status;
    VkMemoryRequirements needs{};
    device_.vk().GetBufferMemoryRequirements(device_.handle(), made.buffer.get(), &needs);
    if (needs.size > rounded) return Status::kDenied;
    status = import_memory(memory, rounded, needs.memoryTypeBits, made.memory);
    if (status != Status::kOk) return status;
    Buffer buffer;
    buffer.host = memory;
    buffer.kind = probe.memory_types.unified ? MemoryKind::kDevice : MemoryKind::kStaging;
    status = bind(std::move(made), buffer);
    if (status == Status::kOk) out = buffer;
    return status;
  });
}

Status Memory::import_memory(std::byte* memory, size_t bytes, uint32_t allowed_types, OwnedMemory& out) const {
  constexpr VkExternalMemoryHandleTypeFlagBits kHostMemory = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  const VkResult known =
      device_.vk().GetMemoryHostPointerPropertiesEXT(device_.handle(), kHostMemory, memory, &properties);
  if (known != VK_SUCCESS) return device_.note(known);
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kHostMemory;
  import.pHostPointer = memory;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = &import;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  const uint32_t usable = properties.memoryTypeBits & allowed_types;
  const std::vector<uint32_t>& types = device_.probe().memory_types.staging;
  const auto type =
      std::find_if(types.begin(), types.end(), [&](uint32_t index) { return (usable >> index & 1) != 0; });
  if (type == types.end()) return Status::kDenied;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = bytes;
  info.memoryTypeIndex = *type;
  VkDeviceMemory made = VK_NULL_HANDLE;
  const VkResult result = device_.vk().AllocateMemory(device_.handle(), &info, nullptr, &made);
  if (result == VK_SUCCESS) out = OwnedMemory(device_, made);
  return device_.note(result);
}

}  // namespace plimsoll::hal::vulkan
