// Cooperative matrices: whether they are used, and the shapes that the device offers.
#pragma once

#include <string>
#include <vector>

#include "hal/device_info.h"
#include "hal/drivers/vulkan/physical_device.h"

namespace plimsoll::hal::vulkan {

// Why they are off; empty when they are on.
std::string cooperative_matrix_off(const PhysicalDevice& device, const Options& options);

// Shapes at subgroup scope whose operands are of one type and whose sums are of one type.
std::vector<CooperativeShape> cooperative_shapes(const PhysicalDevice& device);

}  // namespace plimsoll::hal::vulkan
