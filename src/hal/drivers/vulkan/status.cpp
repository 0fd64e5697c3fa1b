#include "hal/drivers/vulkan/status.h"

#include <fmt/format.h>

#include "plimsoll/errors.h"

namespace plimsoll::hal::vulkan {

Status to_status(VkResult result) noexcept {
  switch (result) {
    case VK_SUCCESS:
      return Status::kOk;
    case VK_TIMEOUT:
    case VK_NOT_READY:
      return Status::kTimedOut;
    case VK_ERROR_TOO_MANY_OBJECTS:
      return Status::kTooMany;
    case VK_ERROR_DEVICE_LOST:
      return Status::kLost;
    default:
      return Status::kDenied;
  }
}

const char* name_of(VkResult result) noexcept {
  switch (result) {
    case VK_SUCCESS:
      return "VK_SUCCESS";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    case VK_NOT_READY:
      return "VK_NOT_READY";
    case VK_INCOMPLETE:
      return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_INVALID_EXTERNAL_HANDLE:
      return "VK_ERROR_INVALID_EXTERNAL_HANDLE";
    case VK_ERROR_INVALID_SHADER_NV:
      return "VK_ERROR_INVALID_SHADER_NV";
    case VK_PIPELINE_COMPILE_REQUIRED:
      return "VK_PIPELINE_COMPILE_REQUIRED";
    default:
      return "an unnamed VkResult";
  }
}

void check(VkResult result, const char* subject, const char* what) {
  if (result == VK_SUCCESS) return;
  throw DeviceError(fmt::format("[{}] {}: {} ({})", subject, what, name_of(result), static_cast<int>(result)));
}

}  // namespace plimsoll::hal::vulkan
