#include "hal/drivers/vulkan/physical_device.h"

#include <algorithm>
#include <thread>

namespace plimsoll::hal::vulkan {
namespace {

Extensions read_extensions(const InstanceFunctions& vk, VkPhysicalDevice device) {
  uint32_t count = 0;
  vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> found(count);
  vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, found.data());
  Extensions names;
  for (uint32_t i = 0; i < count; ++i) names.insert(found[i].extensionName);
  return names;
}

std::vector<VkQueueFamilyProperties> read_queue_families(const InstanceFunctions& vk, VkPhysicalDevice device) {
  uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

std::vector<VkCooperativeMatrixPropertiesKHR> read_cooperative(const InstanceFunctions& vk, VkPhysicalDevice device) {
  if (vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR == nullptr) return {};
  uint32_t count = 0;
  vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, &count, nullptr);
  VkCooperativeMatrixPropertiesKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  std::vector<VkCooperativeMatrixPropertiesKHR> shapes(count, empty);
  vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR(device, &count, shapes.data());
  shapes.resize(count);
  return shapes;
}

// Builds the chain for vkGetPhysicalDeviceProperties2 from the structures that the device knows.
class PropertyChain {
 public:
  template <typename Structure>
  void add(Structure& structure, VkStructureType type, bool known = true) {
    if (!known) return;
    structure.sType = type;
    structure.pNext = head_.pNext;
    head_.pNext = &structure;
  }

  VkPhysicalDeviceProperties read(const InstanceFunctions& vk, VkPhysicalDevice device) {
    head_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    vk.GetPhysicalDeviceProperties2(device, &head_);
    return head_.properties;
  }

 private:
  VkPhysicalDeviceProperties2 head_{};
};

void read_properties(const InstanceFunctions& vk, PhysicalDevice& device) {
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{};
  VkPhysicalDeviceShaderCorePropertiesAMD amd{};
  const bool is_13 = device.version >= VK_API_VERSION_1_3;
  PropertyChain chain;
  chain.add(device.driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  chain.add(device.float_controls, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
  chain.add(device.subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  chain.add(device.maintenance3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  chain.add(device.subgroup_sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
            is_13 || device.has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
  chain.add(device.maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
            is_13 || device.has(VK_KHR_MAINTENANCE_4_EXTENSION_NAME));
  chain.add(device.external_host, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
            device.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
  chain.add(nvidia, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
            device.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME));
  chain.add(amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD,
            device.has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME));
  device.properties = chain.read(vk, device.handle);
  device.compute_units = nvidia.shaderSMCount != 0
                             ? nvidia.shaderSMCount
                             : amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
  if (device.is_software()) device.compute_units = std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

PhysicalDevice read_physical_device(const Instance& instance, VkPhysicalDevice handle) {
  const InstanceFunctions& vk = instance.vk();
  PhysicalDevice device;
  device.handle = handle;
  vk.GetPhysicalDeviceProperties(handle, &device.properties);
  device.version = std::min(device.properties.apiVersion, instance.version());
  if (device.version < VK_API_VERSION_1_2) return device;
  device.extensions = read_extensions(vk, handle);
  read_properties(vk, device);
  vk.GetPhysicalDeviceFeatures2(handle, device.features.link(device.extensions, device.version));
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  vk.GetPhysicalDeviceMemoryProperties2(handle, &memory);
  device.memory = memory.memoryProperties;
  device.queue_families = read_queue_families(vk, handle);
  if (device.features.cooperative.cooperativeMatrix == VK_TRUE) device.cooperative = read_cooperative(vk, handle);
  return device;
}

}  // namespace plimsoll::hal::vulkan
