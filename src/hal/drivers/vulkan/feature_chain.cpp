#include "hal/drivers/vulkan/feature_chain.h"

namespace plimsoll::hal::vulkan {
namespace {

// Puts `structure` behind `tail` and makes it the new tail.
template <typename Structure>
void append(void**& tail, Structure& structure) {
  *tail = &structure;
  structure.pNext = nullptr;
  tail = &structure.pNext;
}

}  // namespace

FeatureChain::FeatureChain() {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
  atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
  memory_priority.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT;
  pageable.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT;
  cooperative.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  bfloat16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR;
}

VkPhysicalDeviceFeatures2* FeatureChain::link(const Extensions& extensions, uint32_t version) {
  void** tail = &core.pNext;
  append(tail, vulkan11);
  append(tail, vulkan12);
  const bool is_13 = version >= VK_API_VERSION_1_3;
  const auto has = [&](const char* extension) { return extensions.contains(extension); };
  if (is_13 || has(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) append(tail, subgroup_size);
  if (is_13 || has(VK_KHR_MAINTENANCE_4_EXTENSION_NAME)) append(tail, maintenance4);
  if (has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) append(tail, atomic_float);
  if (has(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME)) append(tail, memory_priority);
  if (has(VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME)) append(tail, pageable);
  if (has(kCooperativeMatrixExtension)) append(tail, cooperative);
  if (has(kBfloat16Extension)) append(tail, bfloat16);
  return &core;
}

FeatureChain FeatureChain::wanted() const {
  FeatureChain on;
  on.core.features.shaderInt64 = core.features.shaderInt64;
  on.core.features.shaderInt16 = core.features.shaderInt16;
  on.core.features.shaderFloat64 = core.features.shaderFloat64;
  on.vulkan11.storageBuffer16BitAccess = vulkan11.storageBuffer16BitAccess;
  on.vulkan11.uniformAndStorageBuffer16BitAccess = vulkan11.uniformAndStorageBuffer16BitAccess;
  on.vulkan11.storagePushConstant16 = vulkan11.storagePushConstant16;
  on.vulkan12.storageBuffer8BitAccess = vulkan12.storageBuffer8BitAccess;
  on.vulkan12.uniformAndStorageBuffer8BitAccess = vulkan12.uniformAndStorageBuffer8BitAccess;
  on.vulkan12.storagePushConstant8 = vulkan12.storagePushConstant8;
  on.vulkan12.shaderInt8 = vulkan12.shaderInt8;
  on.vulkan12.shaderFloat16 = vulkan12.shaderFloat16;
  on.vulkan12.shaderBufferInt64Atomics = vulkan12.shaderBufferInt64Atomics;
  on.vulkan12.shaderSharedInt64Atomics = vulkan12.shaderSharedInt64Atomics;
  on.vulkan12.shaderSubgroupExtendedTypes = vulkan12.shaderSubgroupExtendedTypes;
  on.vulkan12.scalarBlockLayout = vulkan12.scalarBlockLayout;
  on.vulkan12.bufferDeviceAddress = vulkan12.bufferDeviceAddress;
  on.vulkan12.timelineSemaphore = vulkan12.timelineSemaphore;
  on.vulkan12.vulkanMemoryModel = vulkan12.vulkanMemoryModel;
  on.vulkan12.vulkanMemoryModelDeviceScope = vulkan12.vulkanMemoryModelDeviceScope;
  on.subgroup_size.subgroupSizeControl = subgroup_size.subgroupSizeControl;
  on.subgroup_size.computeFullSubgroups = subgroup_size.computeFullSubgroups;
  on.maintenance4.maintenance4 = maintenance4.maintenance4;
  on.atomic_float.shaderBufferFloat32Atomics = atomic_float.shaderBufferFloat32Atomics;
  on.atomic_float.shaderBufferFloat32AtomicAdd = atomic_float.shaderBufferFloat32AtomicAdd;
  on.memory_priority.memoryPriority = memory_priority.memoryPriority;
  on.pageable.pageableDeviceLocalMemory = pageable.pageableDeviceLocalMemory;
  on.cooperative.cooperativeMatrix = cooperative.cooperativeMatrix;
  on.bfloat16.shaderBFloat16Type = bfloat16.shaderBFloat16Type;
  on.bfloat16.shaderBFloat16CooperativeMatrix = bfloat16.shaderBFloat16CooperativeMatrix;
  return on;
}

}  // namespace plimsoll::hal::vulkan
