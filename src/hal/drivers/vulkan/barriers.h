// The two memory barriers that the driver knows.
#pragma once

#include "hal/drivers/vulkan/functions.h"

namespace plimsoll::hal::vulkan {

// All kernels, copies and fills before, here and in earlier submissions of the queue, end, their writes visible, before
// later ones start.
void record_barrier(const DeviceFunctions& vk, VkCommandBuffer buffer);

// What was written before is visible to the host once it sees the submission's ticket done.
void record_host_barrier(const DeviceFunctions& vk, VkCommandBuffer buffer);

}  // namespace plimsoll::hal::vulkan
