// A device judged: whether it can be opened, and what the contract says of it.
#pragma once

#include <string>

#include "hal/device_info.h"
#include "hal/drivers/vulkan/physical_device.h"
#include "hal/drivers/vulkan/queue_family.h"

namespace plimsoll::hal::vulkan {

struct Probe {
  PhysicalDevice physical;
  DeviceInfo info;
  std::string unusable;  // empty: it can be opened. Then the rest holds:
  MemoryTypes memory_types;
  QueueFamily queue_family;

  bool cooperative() const { return !info.cooperative_shapes.empty(); }
};

Probe probe(const Instance& instance, VkPhysicalDevice handle, const Options& options);

}  // namespace plimsoll::hal::vulkan
