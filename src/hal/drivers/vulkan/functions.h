// The Vulkan functions that the driver calls, as tables of pointers: one for the loader, one for an instance, one for a
// device (which skips the loader's own dispatch). Named as Vulkan names them, without the prefix.
#pragma once

#include "hal/drivers/vulkan/api.h"

#define PLIMSOLL_VULKAN_GLOBAL_FUNCTIONS(X) \
  X(EnumerateInstanceVersion)               \
  X(EnumerateInstanceExtensionProperties)   \
  X(EnumerateInstanceLayerProperties)       \
  X(CreateInstance)

#define PLIMSOLL_VULKAN_INSTANCE_FUNCTIONS(X) \
  X(DestroyInstance)                          \
  X(EnumeratePhysicalDevices)                 \
  X(EnumerateDeviceExtensionProperties)       \
  X(GetPhysicalDeviceProperties)              \
  X(GetPhysicalDeviceProperties2)             \
  X(GetPhysicalDeviceFeatures2)               \
  X(GetPhysicalDeviceMemoryProperties2)       \
  X(GetPhysicalDeviceQueueFamilyProperties)   \
  X(CreateDevice)                             \
  X(GetDeviceProcAddr)

// Of extensions: null where the extension is not enabled.
#define PLIMSOLL_VULKAN_INSTANCE_EXTENSION_FUNCTIONS(X) \
  X(CreateDebugUtilsMessengerEXT)                       \
  X(DestroyDebugUtilsMessengerEXT)                      \
  X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)

#define PLIMSOLL_VULKAN_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                          \
  X(DeviceWaitIdle)                         \
  X(GetDeviceQueue)                         \
  X(QueueSubmit)                            \
  X(AllocateMemory)                         \
  X(FreeMemory)                             \
  X(MapMemory)                              \
  X(CreateBuffer)                           \
  X(DestroyBuffer)                          \
  X(GetBufferMemoryRequirements)            \
  X(BindBufferMemory)                       \
  X(GetBufferDeviceAddress)                 \
  X(CreateCommandPool)                      \
  X(DestroyCommandPool)                     \
  X(ResetCommandPool)                       \
  X(AllocateCommandBuffers)                 \
  X(BeginCommandBuffer)                     \
  X(EndCommandBuffer)                       \
  X(CmdBindPipeline)                        \
  X(CmdPushConstants)                       \
  X(CmdDispatch)                            \
  X(CmdPipelineBarrier)                     \
  X(CmdCopyBuffer)                          \
  X(CmdFillBuffer)                          \
  X(CmdWriteTimestamp)                      \
  X(CmdResetQueryPool)                      \
  X(CreateQueryPool)                        \
  X(DestroyQueryPool)                       \
  X(GetQueryPoolResults)                    \
  X(CreateSemaphore)                        \
  X(DestroySemaphore)                       \
  X(GetSemaphoreCounterValue)               \
  X(WaitSemaphores)                         \
  X(CreateShaderModule)                     \
  X(DestroyShaderModule)                    \
  X(CreatePipelineLayout)                   \
  X(DestroyPipelineLayout)                  \
  X(CreatePipelineCache)                    \
  X(DestroyPipelineCache)                   \
  X(GetPipelineCacheData)                   \
  X(CreateComputePipelines)                 \
  X(DestroyPipeline)

// Of extensions: null where the extension is not enabled.
#define PLIMSOLL_VULKAN_DEVICE_EXTENSION_FUNCTIONS(X) \
  X(CmdInsertDebugUtilsLabelEXT)                      \
  X(SetDeviceMemoryPriorityEXT)                       \
  X(GetMemoryHostPointerPropertiesEXT)

namespace plimsoll::hal::vulkan {

#define PLIMSOLL_VULKAN_DECLARE(name) PFN_vk##name name = nullptr;

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  PLIMSOLL_VULKAN_GLOBAL_FUNCTIONS(PLIMSOLL_VULKAN_DECLARE)
};

struct InstanceFunctions {
  PLIMSOLL_VULKAN_INSTANCE_FUNCTIONS(PLIMSOLL_VULKAN_DECLARE)
  PLIMSOLL_VULKAN_INSTANCE_EXTENSION_FUNCTIONS(PLIMSOLL_VULKAN_DECLARE)
};

struct DeviceFunctions {
  PLIMSOLL_VULKAN_DEVICE_FUNCTIONS(PLIMSOLL_VULKAN_DECLARE)
  PLIMSOLL_VULKAN_DEVICE_EXTENSION_FUNCTIONS(PLIMSOLL_VULKAN_DECLARE)
};

#undef PLIMSOLL_VULKAN_DECLARE

// Each fills a table and returns the name of the first required function that is missing, null if none is.
const char* load_functions(PFN_vkGetInstanceProcAddr get, GlobalFunctions& table);
const char* load_functions(const GlobalFunctions& global, VkInstance instance, InstanceFunctions& table);
const char* load_functions(const InstanceFunctions& functions, VkDevice device, DeviceFunctions& table);

}  // namespace plimsoll::hal::vulkan
