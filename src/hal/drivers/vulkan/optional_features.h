// What a device may have beyond the requirements.
#pragma once

#include "hal/device_info.h"
#include "hal/drivers/vulkan/physical_device.h"

namespace plimsoll::hal::vulkan {

// Whether memory types and extensions allow it; each is one line of DeviceInfo::features.
bool has_memory_budget(const PhysicalDevice& device);
bool has_memory_priority(const PhysicalDevice& device);
bool has_pageable_memory(const PhysicalDevice& device);
bool has_external_host(const PhysicalDevice& device);

// Sets the abilities of `info` that kernels are chosen by, and lists each feature with the reason where it is off.
void add_optional_features(const PhysicalDevice& device, const Options& options, DeviceInfo& info);

}  // namespace plimsoll::hal::vulkan
