// Buffers of a device: each a VkBuffer in an allocation of its own, found again by its address.
#pragma once

#include <atomic>
#include <map>
#include <new>
#include <shared_mutex>
#include <utility>

#include "hal/buffer.h"
#include "hal/device.h"
#include "hal/drivers/vulkan/logical_device.h"

namespace plimsoll::hal::vulkan {

// Runs `body`, which gives a Status; running out of host memory is a denial.
template <typename Body>
Status denied_without_memory(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Status::kDenied;
  }
}

// Thread-safe.
class Memory {
 public:
  explicit Memory(const LogicalDevice& device);

  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept;
  // Staging that kernels read: where the host's writes land in device memory if the device has such a window.
  Status allocate_upload(size_t bytes, Buffer& out) noexcept;
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept;
  void release(const Buffer& buffer) noexcept;

  // Where an address lies. `buffer` is null for an address of no buffer.
  struct Place {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
  };
  Place find(uint64_t address) const noexcept;

  MemoryBudget budget() const noexcept;
  bool can_wire() const noexcept { return device_.vk().SetDeviceMemoryPriorityEXT != nullptr; }
  bool set_resident(const Buffer& buffer, bool resident) noexcept;

 private:
  struct Allocation {
    // Destroyed in reverse order: the buffer before its memory.
    OwnedMemory memory;
    OwnedBuffer buffer;
    size_t bytes = 0;
    bool on_device = false;  // counts in the heap of MemoryKind::kDevice
  };
  // Two imports of the same memory may share an address: the buffer tells them apart.
  using Key = std::pair<uint64_t, VkBuffer>;

  struct Purpose {
    const std::vector<uint32_t>& types;  // the best first
    MemoryKind kind;
    bool mapped;
  };

  Status allocate(const Purpose& purpose, size_t bytes, Buffer& out) noexcept;
  Status map(VkDeviceMemory memory, std::byte*& host) const;
  // The caps that Vulkan leaves to its callers.
  Status within_caps(size_t bytes) const;
  Status create_buffer(size_t bytes, bool imported, OwnedBuffer& out) const;
  Status allocate_memory(const std::vector<uint32_t>& types, const VkMemoryRequirements& needs, OwnedMemory& out) const;
  Status import_memory(std::byte* memory, size_t bytes, uint32_t allowed_types, OwnedMemory& out) const;
  Status bind(Allocation allocation, Buffer& out);

  const LogicalDevice& device_;
  mutable std::shared_mutex mutex_;
  std::map<Key, Allocation> allocations_;
  std::atomic<size_t> device_bytes_{0};
};

}  // namespace plimsoll::hal::vulkan
