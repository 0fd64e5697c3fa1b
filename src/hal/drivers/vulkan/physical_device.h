// What is known of a device before it is opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hal/device_info.h"
#include "hal/drivers/vulkan/driver.h"
#include "hal/drivers/vulkan/feature_chain.h"
#include "hal/drivers/vulkan/instance.h"
#include "hal/drivers/vulkan/memory_types.h"

namespace plimsoll::hal::vulkan {

// Everything that vkGetPhysicalDevice* tells, unjudged.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  uint32_t version = 0;  // the lower of the device's and the instance's
  Extensions extensions;
  FeatureChain features;
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDeviceFloatControlsProperties float_controls{};
  VkPhysicalDeviceSubgroupProperties subgroup{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup_sizes{};
  VkPhysicalDeviceMaintenance3Properties maintenance3{};
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT external_host{};
  uint32_t compute_units = 0;  // 0: unknown
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<VkQueueFamilyProperties> queue_families;
  std::vector<VkCooperativeMatrixPropertiesKHR> cooperative;

  bool is_software() const { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  bool has(const char* extension) const { return extensions.contains(extension); }
};

PhysicalDevice read_physical_device(const Instance& instance, VkPhysicalDevice handle);

}  // namespace plimsoll::hal::vulkan
