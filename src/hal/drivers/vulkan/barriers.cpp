#include "hal/drivers/vulkan/barriers.h"

namespace plimsoll::hal::vulkan {
namespace {

constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

void record(const DeviceFunctions& vk, VkCommandBuffer buffer, VkPipelineStageFlags later, VkAccessFlags accesses) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = kWrites;
  barrier.dstAccessMask = accesses;
  vk.CmdPipelineBarrier(buffer, kWork, later, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

void record_barrier(const DeviceFunctions& vk, VkCommandBuffer buffer) { record(vk, buffer, kWork, kReads | kWrites); }

void record_host_barrier(const DeviceFunctions& vk, VkCommandBuffer buffer) {
  record(vk, buffer, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

}  // namespace plimsoll::hal::vulkan
