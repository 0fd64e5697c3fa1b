// Command buffers and their pools.
#pragma once

#include "hal/drivers/vulkan/logical_device.h"

namespace plimsoll::hal::vulkan {

// For the device's queue family. Both throw DeviceError when the device refuses.
OwnedCommandPool make_command_pool(const LogicalDevice& device);
VkCommandBuffer make_command_buffer(const LogicalDevice& device, VkCommandPool pool);

}  // namespace plimsoll::hal::vulkan
