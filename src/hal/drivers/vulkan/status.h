// Vulkan's result codes in the contract's terms. The only place that reads them.
#pragma once

#include "hal/drivers/vulkan/api.h"
#include "hal/status.h"

namespace plimsoll::hal::vulkan {

// Codes that no call of this driver expects count as kDenied.
Status to_status(VkResult result) noexcept;

// "VK_ERROR_DEVICE_LOST".
const char* name_of(VkResult result) noexcept;

// Throws DeviceError("[subject] what: VK_ERROR_...") unless the result is VK_SUCCESS.
void check(VkResult result, const char* subject, const char* what);

}  // namespace plimsoll::hal::vulkan
