// Listens to the validation layer.
#pragma once

#include <atomic>
#include <cstdint>

#include "hal/drivers/vulkan/api.h"

namespace plimsoll::hal::vulkan {

inline constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// Counts warnings and errors, and hands each to the log as a warning, from inside the call that it complains about.
class ValidationListener {
 public:
  ValidationListener() = default;
  ValidationListener(const ValidationListener&) = delete;
  ValidationListener& operator=(const ValidationListener&) = delete;

  uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }

  // For vkCreateInstance's chain and for vkCreateDebugUtilsMessengerEXT. Points to this object, which must outlive it.
  VkDebugUtilsMessengerCreateInfoEXT create_info();

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                VkDebugUtilsMessageTypeFlagsEXT types,
                                                const VkDebugUtilsMessengerCallbackDataEXT* data, void* listener);

  std::atomic<uint64_t> messages_{0};
};

}  // namespace plimsoll::hal::vulkan
