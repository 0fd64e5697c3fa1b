#include "hal/drivers/vulkan/queue_family.h"

namespace plimsoll::hal::vulkan {
namespace {

// Higher is better; 0: unusable.
int rank(const VkQueueFamilyProperties& family) {
  if (family.queueCount == 0 || (family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) return 0;
  const int timed = family.timestampValidBits > 0 ? 2 : 0;
  const int no_graphics = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0 ? 1 : 0;
  return 1 + timed + no_graphics;
}

}  // namespace

QueueFamily choose_queue_family(const PhysicalDevice& device) {
  QueueFamily best;
  int best_rank = 0;
  for (uint32_t i = 0; i < device.queue_families.size(); ++i) {
    const VkQueueFamilyProperties& family = device.queue_families[i];
    if (rank(family) <= best_rank) continue;
    best_rank = rank(family);
    best = {i, family.timestampValidBits};
  }
  return best;
}

}  // namespace plimsoll::hal::vulkan
