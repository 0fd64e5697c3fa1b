#include "hal/drivers/vulkan/validation.h"

#include <string>

#include "base/log.h"

namespace plimsoll::hal::vulkan {

VkDebugUtilsMessengerCreateInfoEXT ValidationListener::create_info() {
  return {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
          .pNext = nullptr,
          .flags = 0,
          .messageSeverity =
              VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
          .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
          .pfnUserCallback = &ValidationListener::receive,
          .pUserData = this};
}

VkBool32 ValidationListener::receive(VkDebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
                                     VkDebugUtilsMessageTypeFlagsEXT /*types*/,
                                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* listener) {
  static_cast<ValidationListener*>(listener)->messages_.fetch_add(1, std::memory_order_relaxed);
  // An exception must not cross Vulkan's frames.
  try {
    base::log_warning(std::string("[vulkan validation] ") + (data->pMessage != nullptr ? data->pMessage : ""));
  } catch (...) {
  }
  return VK_FALSE;
}

}  // namespace plimsoll::hal::vulkan
