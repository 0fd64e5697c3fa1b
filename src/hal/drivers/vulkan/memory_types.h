// Which of a device's memory types serve which purpose.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/drivers/vulkan/api.h"

namespace plimsoll::hal::vulkan {

// Indices of memory types, the best first. All entries of `device` are of one heap: a full heap is a refusal, never a
// silent move to slower memory.
struct MemoryTypes {
  std::vector<uint32_t> device;   // MemoryKind::kDevice
  std::vector<uint32_t> staging;  // MemoryKind::kStaging: host-visible, coherent, cached where there is such a type
  std::vector<uint32_t> upload;   // written by the host, read by kernels: in device memory where the host reaches it
  uint32_t device_heap = 0;
  bool unified = false;  // the host works in place on `device`
};

// `may_be_unified`: the device is not a card with memory of its own.
MemoryTypes choose_memory_types(const VkPhysicalDeviceMemoryProperties& memory, bool may_be_unified);

}  // namespace plimsoll::hal::vulkan
