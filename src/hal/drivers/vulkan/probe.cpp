#include "hal/drivers/vulkan/probe.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "hal/drivers/vulkan/cooperative_matrix.h"
#include "hal/drivers/vulkan/optional_features.h"
#include "hal/drivers/vulkan/requirements.h"
#include "hal/drivers/vulkan/shader_compiler.h"

namespace plimsoll::hal::vulkan {
namespace {

DeviceType type_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceType::kSoftware;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceType::kIntegrated;
    default:
      return DeviceType::kDiscrete;  // virtual GPUs too: their memory is a card's
  }
}

std::string file_name_safe(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      safe += c;
    } else if (!safe.empty() && safe.back() != '_') {
      safe += '_';
    }
  }
  return safe;
}

// The pipeline cache's identity changes with whatever makes compiled kernels differ.
std::string identity_of(const VkPhysicalDeviceProperties& properties) {
  std::string identity = fmt::format("vulkan-{}-{:x}-{:x}-{:x}-", file_name_safe(properties.deviceName),
                                     properties.vendorID, properties.deviceID, properties.driverVersion);
  for (const uint8_t byte : properties.pipelineCacheUUID) identity += fmt::format("{:02x}", byte);
  return identity;
}

std::string version_text(const PhysicalDevice& device) {
  const uint32_t version = device.properties.apiVersion;
  const std::string vulkan = fmt::format("Vulkan {}.{}.{}", VK_API_VERSION_MAJOR(version),
                                         VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
  if (device.driver.driverInfo[0] != '\0') return fmt::format("{}, {}", device.driver.driverInfo, vulkan);
  return fmt::format("driver {:#x}, {}", device.properties.driverVersion, vulkan);
}

// How long a command buffer may run before the system takes the device away. No driver tells, so by system and maker:
// Windows resets a device after 2 s, macOS was seen to end work from about 1 s with the display active, amdgpu's ring
// timeout is 10 s; for others on Linux, whose desktops and watchdogs differ, half of that.
double kill_seconds(const PhysicalDevice& device) {
  if (device.is_software()) return 0;
#if defined(_WIN32)
  return 2;
#elif defined(__APPLE__)
  return 1;
#else
  constexpr uint32_t kAmd = 0x1002;
  return device.properties.vendorID == kAmd ? 10 : 5;
#endif
}

void fill_identity(const PhysicalDevice& device, DeviceInfo& info) {
  info.name = device.properties.deviceName;
  info.driver = "vulkan";
  info.driver_version = version_text(device);
  info.identity = identity_of(device.properties);
  info.type = type_of(device.properties.deviceType);
}

size_t no_cap_above(uint64_t value, uint64_t highest) { return value >= highest ? SIZE_MAX : size_t(value); }

void fill_memory(const PhysicalDevice& device, const MemoryTypes& types, DeviceInfo& info) {
  const VkPhysicalDeviceLimits& limits = device.properties.limits;
  info.unified = types.unified;
  info.memory_bytes = device.memory.memoryHeaps[types.device_heap].size;
  // Buffers have allocations of their own, which drivers align to pages; 256 is what kernels may rely on everywhere.
  info.buffer_alignment = 256;
  uint64_t most = device.maintenance3.maxMemoryAllocationSize;
  if (device.maintenance4.maxBufferSize != 0) most = std::min(most, device.maintenance4.maxBufferSize);
  info.max_buffer_bytes = no_cap_above(most, UINT64_MAX);
  info.max_allocations = no_cap_above(limits.maxMemoryAllocationCount, UINT32_MAX);
}

void fill_work(const PhysicalDevice& device, DeviceInfo& info) {
  const VkPhysicalDeviceLimits& limits = device.properties.limits;
  info.max_groups = limits.maxComputeWorkGroupCount[0];
  info.max_group_size = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  info.shared_memory_bytes = limits.maxComputeSharedMemorySize;
  info.subgroup_size = device.subgroup.subgroupSize;
  const bool control = device.features.subgroup_size.subgroupSizeControl == VK_TRUE;
  info.min_subgroup_size = control ? device.subgroup_sizes.minSubgroupSize : info.subgroup_size;
  info.max_subgroup_size = control ? device.subgroup_sizes.maxSubgroupSize : info.subgroup_size;
  info.compute_units = device.compute_units;
  info.kill_seconds = kill_seconds(device);
}

}  // namespace

Probe probe(const Instance& instance, VkPhysicalDevice handle, const Options& options) {
  Probe result;
  result.physical = read_physical_device(instance, handle);
  const PhysicalDevice& device = result.physical;
  fill_identity(device, result.info);
  result.unusable = missing_requirements(device);
  if (!result.unusable.empty()) return result;
  result.memory_types = choose_memory_types(
      device.memory, device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || device.is_software());
  result.queue_family = choose_queue_family(device);
  fill_memory(device, result.memory_types, result.info);
  fill_work(device, result.info);
  add_optional_features(device, options, result.info);
  const std::string compiler_off = shader_compiler_off();
  result.info.features.push_back({"kernels from source", compiler_off.empty(), compiler_off});
  if (options.cooperative == Options::Cooperative::kOn && !result.cooperative()) {
    result.unusable = "PLIMSOLL_COOPMAT is on, but " + cooperative_matrix_off(device, options);
  }
  return result;
}

}  // namespace plimsoll::hal::vulkan
