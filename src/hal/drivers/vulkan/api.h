// Vulkan's types, without prototypes: functions are found at run time (functions.h). Includes what older headers lack.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES  // NOLINT(readability-identifier-naming): Vulkan's own switch
#endif
#include <vulkan/vulkan.h>

#include "hal/drivers/vulkan/api_cooperative_matrix.h"
