#include "hal/drivers/vulkan/optional_features.h"

#include <utility>

#include "hal/drivers/vulkan/cooperative_matrix.h"
#include "hal/drivers/vulkan/queue_family.h"

namespace plimsoll::hal::vulkan {
namespace {

// A bit that core Vulkan has a name for.
Feature bit(const char* name, bool on, const char* native) {
  return {name, on, on ? "" : std::string("the device lacks ") + native};
}

// A bit of an extension: either may be missing.
Feature extension_bit(const PhysicalDevice& device, const char* name, const char* extension, bool on,
                      const char* native) {
  if (!on && !device.has(extension)) return {name, false, std::string("the driver lacks ") + extension};
  return bit(name, on, native);
}

// An extension that has no bits.
Feature whole_extension(const PhysicalDevice& device, const char* name, const char* extension) {
  const bool on = device.has(extension);
  return {name, on, on ? "" : std::string("the driver lacks ") + extension};
}

void add_kernel_features(const PhysicalDevice& device, DeviceInfo& info) {
  const FeatureChain& have = device.features;
  info.has_half_math = have.vulkan12.shaderFloat16 == VK_TRUE;
  // Vulkan leaves the rounding of packHalf2x16 open; tests/ops/elementwise_edges_test.cpp shows whether this list is
  // right.
  info.has_exact_halves = device.driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  info.has_float64 = have.core.features.shaderFloat64 == VK_TRUE;
  info.has_int64_atomics = have.vulkan12.shaderBufferInt64Atomics == VK_TRUE;
  info.has_float_atomics = have.atomic_float.shaderBufferFloat32AtomicAdd == VK_TRUE;
  const bool small_integers = have.vulkan12.shaderInt8 == VK_TRUE && have.core.features.shaderInt16 == VK_TRUE;
  info.features.push_back(bit("half math", info.has_half_math, "shaderFloat16"));
  info.features.push_back({"exact half conversions", info.has_exact_halves,
                           info.has_exact_halves ? "" : "the driver is not known to round to nearest even"});
  info.features.push_back(bit("float64", info.has_float64, "shaderFloat64"));
  info.features.push_back(bit("8/16-bit integers", small_integers, "shaderInt8 or shaderInt16"));
  info.features.push_back(bit("int64 atomics", info.has_int64_atomics, "shaderBufferInt64Atomics"));
  info.features.push_back(extension_bit(device, "float atomics", VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
                                        info.has_float_atomics, "shaderBufferFloat32AtomicAdd"));
  info.features.push_back(bit("scalar block layout", have.vulkan12.scalarBlockLayout == VK_TRUE, "scalarBlockLayout"));
  info.features.push_back(extension_bit(device, "subgroup size control", VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
                                        have.subgroup_size.subgroupSizeControl == VK_TRUE, "subgroupSizeControl"));
  info.features.push_back(bit("float32 denormals", device.float_controls.shaderDenormPreserveFloat32 == VK_TRUE,
                              "shaderDenormPreserveFloat32"));
  info.features.push_back(bit("float16 rounding to nearest even",
                              device.float_controls.shaderRoundingModeRTEFloat16 == VK_TRUE,
                              "shaderRoundingModeRTEFloat16"));
}

void add_cooperative_matrix(const PhysicalDevice& device, const Options& options, DeviceInfo& info) {
  std::string off = cooperative_matrix_off(device, options);
  if (off.empty()) info.cooperative_shapes = cooperative_shapes(device);
  info.features.push_back({"cooperative matrix", off.empty(), std::move(off)});
}

void add_memory_features(const PhysicalDevice& device, DeviceInfo& info) {
  info.features.push_back(whole_extension(device, "memory budget", VK_EXT_MEMORY_BUDGET_EXTENSION_NAME));
  info.features.push_back(extension_bit(device, "memory priority", VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
                                        has_memory_priority(device), "memoryPriority"));
  info.features.push_back(extension_bit(device, "pageable memory", VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME,
                                        has_pageable_memory(device), "pageableDeviceLocalMemory"));
  info.features.push_back(whole_extension(device, "external host memory", VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
}

}  // namespace

bool has_memory_budget(const PhysicalDevice& device) { return device.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME); }

bool has_memory_priority(const PhysicalDevice& device) {
  return device.features.memory_priority.memoryPriority == VK_TRUE;
}

bool has_pageable_memory(const PhysicalDevice& device) {
  return has_memory_priority(device) && device.features.pageable.pageableDeviceLocalMemory == VK_TRUE;
}

bool has_external_host(const PhysicalDevice& device) { return device.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME); }

void add_optional_features(const PhysicalDevice& device, const Options& options, DeviceInfo& info) {
  add_kernel_features(device, info);
  add_cooperative_matrix(device, options, info);
  add_memory_features(device, info);
  info.has_timestamps = choose_queue_family(device).timestamp_bits > 0;
  info.features.push_back(bit("timestamps", info.has_timestamps, "timestampValidBits on its compute queue"));
}

}  // namespace plimsoll::hal::vulkan
