// Every feature structure that the driver asks about, in one chain: filled by vkGetPhysicalDeviceFeatures2, and handed
// to vkCreateDevice with what is wanted.
#pragma once

#include <set>
#include <string>

#include "hal/drivers/vulkan/api.h"

namespace plimsoll::hal::vulkan {

using Extensions = std::set<std::string, std::less<>>;

struct FeatureChain {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features vulkan11{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size{};
  VkPhysicalDeviceMaintenance4Features maintenance4{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
  VkPhysicalDeviceMemoryPriorityFeaturesEXT memory_priority{};
  VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT pageable{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative{};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{};

  FeatureChain();

  // Chains the structures of Vulkan 1.2 and those whose extension is in `extensions` (or in core by `version`), and
  // returns the head. The chain points into this object: link again after copying it.
  VkPhysicalDeviceFeatures2* link(const Extensions& extensions, uint32_t version);

  // What the driver turns on of what is there: everything that some kernel may use, nothing else.
  FeatureChain wanted() const;
};

}  // namespace plimsoll::hal::vulkan
