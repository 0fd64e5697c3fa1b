#include "hal/drivers/vulkan/functions.h"

namespace plimsoll::hal::vulkan {
namespace {

// Fills one entry; remembers the name of the first that is missing.
template <typename Function>
void fill(Function& entry, PFN_vkVoidFunction found, const char* name, const char*& missing) {
  entry = reinterpret_cast<Function>(found);
  if (found == nullptr && missing == nullptr) missing = name;
}

}  // namespace

const char* load_functions(PFN_vkGetInstanceProcAddr get, GlobalFunctions& table) {
  const char* missing = nullptr;
  table.GetInstanceProcAddr = get;
#define PLIMSOLL_VULKAN_LOAD(name) fill(table.name, get(VK_NULL_HANDLE, "vk" #name), "vk" #name, missing);
  PLIMSOLL_VULKAN_GLOBAL_FUNCTIONS(PLIMSOLL_VULKAN_LOAD)
#undef PLIMSOLL_VULKAN_LOAD
  return missing;
}

const char* load_functions(const GlobalFunctions& global, VkInstance instance, InstanceFunctions& table) {
  const char* missing = nullptr;
  const char* optional = nullptr;
#define PLIMSOLL_VULKAN_LOAD(name) \
  fill(table.name, global.GetInstanceProcAddr(instance, "vk" #name), "vk" #name, missing);
  PLIMSOLL_VULKAN_INSTANCE_FUNCTIONS(PLIMSOLL_VULKAN_LOAD)
#undef PLIMSOLL_VULKAN_LOAD
#define PLIMSOLL_VULKAN_LOAD(name) \
  fill(table.name, global.GetInstanceProcAddr(instance, "vk" #name), "vk" #name, optional);
  PLIMSOLL_VULKAN_INSTANCE_EXTENSION_FUNCTIONS(PLIMSOLL_VULKAN_LOAD)
#undef PLIMSOLL_VULKAN_LOAD
  return missing;
}

const char* load_functions(const InstanceFunctions& functions, VkDevice device, DeviceFunctions& table) {
  const char* missing = nullptr;
  const char* optional = nullptr;
#define PLIMSOLL_VULKAN_LOAD(name) \
  fill(table.name, functions.GetDeviceProcAddr(device, "vk" #name), "vk" #name, missing);
  PLIMSOLL_VULKAN_DEVICE_FUNCTIONS(PLIMSOLL_VULKAN_LOAD)
#undef PLIMSOLL_VULKAN_LOAD
#define PLIMSOLL_VULKAN_LOAD(name) \
  fill(table.name, functions.GetDeviceProcAddr(device, "vk" #name), "vk" #name, optional);
  PLIMSOLL_VULKAN_DEVICE_EXTENSION_FUNCTIONS(PLIMSOLL_VULKAN_LOAD)
#undef PLIMSOLL_VULKAN_LOAD
  return missing;
}

}  // namespace plimsoll::hal::vulkan
