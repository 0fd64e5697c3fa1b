// What VK_KHR_cooperative_matrix and VK_KHR_shader_bfloat16 define, for Vulkan headers that are older than they are.
// Names and values are those of the Vulkan registry.
#pragma once

#include <vulkan/vulkan.h>

// NOLINTBEGIN(readability-identifier-naming)
#ifndef VK_KHR_cooperative_matrix

inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR =
    static_cast<VkStructureType>(1000506000);
inline constexpr VkStructureType VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR =
    static_cast<VkStructureType>(1000506001);

enum VkComponentTypeKHR : int32_t {
  VK_COMPONENT_TYPE_FLOAT16_KHR = 0,
  VK_COMPONENT_TYPE_FLOAT32_KHR = 1,
};

enum VkScopeKHR : int32_t {
  VK_SCOPE_SUBGROUP_KHR = 3,
};

struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 cooperativeMatrix;
  VkBool32 cooperativeMatrixRobustBufferAccess;
};

struct VkCooperativeMatrixPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  uint32_t MSize;
  uint32_t NSize;
  uint32_t KSize;
  VkComponentTypeKHR AType;
  VkComponentTypeKHR BType;
  VkComponentTypeKHR CType;
  VkComponentTypeKHR ResultType;
  VkBool32 saturatingAccumulation;
  VkScopeKHR scope;
};

using PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*,
                                                                                   VkCooperativeMatrixPropertiesKHR*);

#endif

#ifndef VK_KHR_shader_bfloat16

inline constexpr VkStructureType VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR =
    static_cast<VkStructureType>(1000141000);
inline constexpr VkComponentTypeKHR VK_COMPONENT_TYPE_BFLOAT16_KHR = static_cast<VkComponentTypeKHR>(1000141000);

struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderBFloat16Type;
  VkBool32 shaderBFloat16DotProduct;
  VkBool32 shaderBFloat16CooperativeMatrix;
};

#endif
// NOLINTEND(readability-identifier-naming)

namespace plimsoll::hal::vulkan {

inline constexpr const char* kCooperativeMatrixExtension = "VK_KHR_cooperative_matrix";
inline constexpr const char* kBfloat16Extension = "VK_KHR_shader_bfloat16";

}  // namespace plimsoll::hal::vulkan
