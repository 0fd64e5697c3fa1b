#include "hal/drivers/vulkan/requirements.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hal/kernel.h"

namespace plimsoll::hal::vulkan {
namespace {

struct Requirement {
  bool met;
  const char* name;
};

bool has_subgroup_operations(const PhysicalDevice& device) {
  constexpr VkSubgroupFeatureFlags kNeeded = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                             VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
  return (device.subgroup.supportedOperations & kNeeded) == kNeeded &&
         (device.subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

bool has_compute_queue(const PhysicalDevice& device) {
  return std::any_of(device.queue_families.begin(), device.queue_families.end(),
                     [](const VkQueueFamilyProperties& family) {
                       return family.queueCount > 0 && (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
                     });
}

}  // namespace

std::string missing_requirements(const PhysicalDevice& device) {
  if (device.version < VK_API_VERSION_1_2) {
    return fmt::format("the device has Vulkan {}.{}; 1.2 is needed", VK_API_VERSION_MAJOR(device.version),
                       VK_API_VERSION_MINOR(device.version));
  }
  const FeatureChain& features = device.features;
  const Requirement requirements[] = {
      {features.vulkan12.bufferDeviceAddress == VK_TRUE, "bufferDeviceAddress"},
      {features.vulkan12.timelineSemaphore == VK_TRUE, "timelineSemaphore"},
      {features.core.features.shaderInt64 == VK_TRUE, "shaderInt64"},
      {features.vulkan12.storageBuffer8BitAccess == VK_TRUE, "storageBuffer8BitAccess"},
      {features.vulkan11.storageBuffer16BitAccess == VK_TRUE, "storageBuffer16BitAccess"},
      {has_subgroup_operations(device), "subgroup arithmetic, shuffle and ballot in compute kernels"},
      {device.properties.limits.maxPushConstantsSize >= kDirectParameterBytes, "128 bytes of push constants"},
      {has_compute_queue(device), "a compute queue"},
  };
  std::vector<const char*> missing;
  for (const Requirement& requirement : requirements) {
    if (!requirement.met) missing.push_back(requirement.name);
  }
  return missing.empty() ? std::string() : fmt::format("the device lacks {}", fmt::join(missing, ", "));
}

}  // namespace plimsoll::hal::vulkan
