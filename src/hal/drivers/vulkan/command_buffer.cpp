#include "hal/drivers/vulkan/command_buffer.h"

#include "hal/drivers/vulkan/status.h"

namespace plimsoll::hal::vulkan {

OwnedCommandPool make_command_pool(const LogicalDevice& device) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = device.probe().queue_family.index;
  VkCommandPool pool = VK_NULL_HANDLE;
  const VkResult result = device.vk().CreateCommandPool(device.handle(), &info, nullptr, &pool);
  device.note(result);
  check(result, device.probe().info.name.c_str(), "no command pool");
  return {device, pool};
}

VkCommandBuffer make_command_buffer(const LogicalDevice& device, VkCommandPool pool) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  const VkResult result = device.vk().AllocateCommandBuffers(device.handle(), &info, &buffer);
  device.note(result);
  check(result, device.probe().info.name.c_str(), "no command buffer");
  return buffer;
}

}  // namespace plimsoll::hal::vulkan
