// Which queue family runs the work.
#pragma once

#include <cstdint>

#include "hal/drivers/vulkan/physical_device.h"

namespace plimsoll::hal::vulkan {

struct QueueFamily {
  uint32_t index = 0;
  uint32_t timestamp_bits = 0;  // 0: no timestamps
};

// A family that computes but does not draw where there is one: it shares no queue with the desktop. pre: the device
// meets the requirements.
QueueFamily choose_queue_family(const PhysicalDevice& device);

}  // namespace plimsoll::hal::vulkan
