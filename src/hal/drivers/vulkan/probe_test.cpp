// Judging devices that are not there: a PhysicalDevice filled in by hand.
#include "hal/drivers/vulkan/probe.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hal/drivers/vulkan/cooperative_matrix.h"
#include "hal/drivers/vulkan/optional_features.h"
#include "hal/drivers/vulkan/requirements.h"

namespace plimsoll::hal::vulkan {
namespace {

// Exactly what is required.
PhysicalDevice modest_device() {
  PhysicalDevice device;
  device.version = VK_API_VERSION_1_2;
  device.features.vulkan12.bufferDeviceAddress = VK_TRUE;
  device.features.vulkan12.timelineSemaphore = VK_TRUE;
  device.features.vulkan12.storageBuffer8BitAccess = VK_TRUE;
  device.features.vulkan11.storageBuffer16BitAccess = VK_TRUE;
  device.features.core.features.shaderInt64 = VK_TRUE;
  device.subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
  device.subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                        VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
  device.properties.limits.maxPushConstantsSize = 128;
  VkQueueFamilyProperties family{};
  family.queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;
  family.queueCount = 1;
  device.queue_families = {family};
  return device;
}

PhysicalDevice device_with_matrices() {
  PhysicalDevice device = modest_device();
  device.extensions.insert(kCooperativeMatrixExtension);
  device.features.cooperative.cooperativeMatrix = VK_TRUE;
  device.features.vulkan12.vulkanMemoryModel = VK_TRUE;
  VkCooperativeMatrixPropertiesKHR shape{};
  shape.MSize = shape.NSize = shape.KSize = 16;
  shape.AType = shape.BType = VK_COMPONENT_TYPE_FLOAT16_KHR;
  shape.CType = shape.ResultType = VK_COMPONENT_TYPE_FLOAT32_KHR;
  shape.scope = VK_SCOPE_SUBGROUP_KHR;
  device.cooperative = {shape};
  return device;
}

const Feature& feature(const DeviceInfo& info, const std::string& name) {
  const auto found = std::find_if(info.features.begin(), info.features.end(),
                                  [&](const Feature& candidate) { return candidate.name == name; });
  if (found == info.features.end()) throw std::logic_error("no feature " + name);
  return *found;
}

TEST(VulkanRequirementsTest, AModestDeviceIsEnough) { EXPECT_EQ(missing_requirements(modest_device()), ""); }

TEST(VulkanRequirementsTest, EachMissingThingIsNamed) {
  PhysicalDevice device = modest_device();
  device.features.vulkan12.bufferDeviceAddress = VK_FALSE;
  EXPECT_EQ(missing_requirements(device), "the device lacks bufferDeviceAddress");
  device.features.core.features.shaderInt64 = VK_FALSE;
  device.properties.limits.maxPushConstantsSize = 64;
  EXPECT_EQ(missing_requirements(device),
            "the device lacks bufferDeviceAddress, shaderInt64, 128 bytes of push constants");
  device = modest_device();
  device.subgroup.supportedOperations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_SHUFFLE_BIT};
  device.queue_families[0].queueFlags = VK_QUEUE_GRAPHICS_BIT;
  EXPECT_EQ(missing_requirements(device),
            "the device lacks subgroup arithmetic, shuffle and ballot in compute kernels, a compute queue");
  device.version = VK_API_VERSION_1_1;
  EXPECT_EQ(missing_requirements(device), "the device has Vulkan 1.1; 1.2 is needed");
}

TEST(VulkanOptionalFeaturesTest, WhatIsOffSaysWhy) {
  PhysicalDevice device = modest_device();
  device.extensions.insert(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  DeviceInfo info;
  add_optional_features(device, Options{}, info);
  for (const Feature& each : info.features) {
    EXPECT_FALSE(each.on) << each.name;
    EXPECT_FALSE(each.reason.empty()) << each.name;
  }
  EXPECT_EQ(feature(info, "half math").reason, "the device lacks shaderFloat16");
  EXPECT_EQ(feature(info, "float atomics").reason, "the device lacks shaderBufferFloat32AtomicAdd");
  EXPECT_EQ(feature(info, "memory budget").reason, "the driver lacks VK_EXT_memory_budget");
  EXPECT_EQ(feature(info, "cooperative matrix").reason, "the driver lacks VK_KHR_cooperative_matrix");
  EXPECT_FALSE(info.has_half_math || info.has_float64 || info.has_int64_atomics || info.has_float_atomics);
}

TEST(VulkanOptionalFeaturesTest, WhatIsOnHasNoReason) {
  PhysicalDevice device = modest_device();
  device.features.vulkan12.shaderFloat16 = VK_TRUE;
  DeviceInfo info;
  add_optional_features(device, Options{}, info);
  EXPECT_TRUE(info.has_half_math);
  EXPECT_TRUE(feature(info, "half math").on);
  EXPECT_EQ(feature(info, "half math").reason, "");
}

TEST(VulkanCooperativeMatrixTest, ShapesOfFloatingPointAtSubgroupScopeCount) {
  PhysicalDevice device = device_with_matrices();
  VkCooperativeMatrixPropertiesKHR other = device.cooperative[0];
  other.scope = static_cast<VkScopeKHR>(2);  // a workgroup's
  device.cooperative.push_back(other);
  other = device.cooperative[0];
  other.AType = static_cast<VkComponentTypeKHR>(3);  // 8-bit integers
  device.cooperative.push_back(other);
  other = device.cooperative[0];
  other.AType = other.BType = VK_COMPONENT_TYPE_BFLOAT16_KHR;
  other.KSize = 8;
  device.cooperative.push_back(other);
  const std::vector<CooperativeShape> shapes = cooperative_shapes(device);
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].operands, CooperativeShape::Type::kFloat16);
  EXPECT_EQ(shapes[0].result, CooperativeShape::Type::kFloat32);
  EXPECT_EQ(shapes[1].operands, CooperativeShape::Type::kBfloat16);
  EXPECT_EQ(shapes[1].k, 8U);
}

TEST(VulkanCooperativeMatrixTest, TheSwitchAndValidationTurnThemOff) {
  const PhysicalDevice device = device_with_matrices();
  Options options;
  EXPECT_EQ(cooperative_matrix_off(device, options), "");
  options.validation = true;
  EXPECT_EQ(cooperative_matrix_off(device, options), "validation is on");
  options.cooperative = Options::Cooperative::kOn;
  EXPECT_EQ(cooperative_matrix_off(device, options), "");
  options.cooperative = Options::Cooperative::kOff;
  EXPECT_EQ(cooperative_matrix_off(device, options), "PLIMSOLL_COOPMAT is off");
}

TEST(VulkanQueueFamilyTest, AFamilyThatOnlyComputesComesFirst) {
  PhysicalDevice device = modest_device();
  VkQueueFamilyProperties family{};
  family.queueCount = 1;
  family.queueFlags = VK_QUEUE_TRANSFER_BIT;
  device.queue_families.push_back(family);
  EXPECT_EQ(choose_queue_family(device).index, 0U);
  family.queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  device.queue_families.push_back(family);
  EXPECT_EQ(choose_queue_family(device).index, 2U);
  // A clock is worth more than a queue of one's own.
  device.queue_families[0].timestampValidBits = 48;
  EXPECT_EQ(choose_queue_family(device).index, 0U);
  EXPECT_EQ(choose_queue_family(device).timestamp_bits, 48U);
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
