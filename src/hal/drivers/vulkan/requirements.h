// What a device must have to be used at all.
#pragma once

#include <string>

#include "hal/drivers/vulkan/physical_device.h"

namespace plimsoll::hal::vulkan {

// "the device lacks bufferDeviceAddress, shaderInt64"; empty when it has everything.
std::string missing_requirements(const PhysicalDevice& device);

}  // namespace plimsoll::hal::vulkan
