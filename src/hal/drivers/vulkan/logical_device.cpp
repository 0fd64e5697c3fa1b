#include "hal/drivers/vulkan/logical_device.h"

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/optional_features.h"
#include "hal/drivers/vulkan/status.h"

namespace plimsoll::hal::vulkan {
namespace {

// What is turned on, of the extensions that the device has.
Extensions wanted_extensions(const Probe& probe) {
  const PhysicalDevice& device = probe.physical;
  Extensions wanted;
  const auto want = [&](const char* name) {
    if (device.has(name)) wanted.insert(name);
  };
  want("VK_KHR_portability_subset");  // must be turned on where it is offered
  want(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  want(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  want(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
  want(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (has_pageable_memory(device)) want(VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME);
  if (device.version < VK_API_VERSION_1_3) {
    want(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    want(VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
  }
  if (probe.cooperative()) {
    want(kCooperativeMatrixExtension);
    want(kBfloat16Extension);
  }
  return wanted;
}

}  // namespace

LogicalDevice::LogicalDevice(std::shared_ptr<const Instance> instance, const Probe& probe)
    : instance_(std::move(instance)), probe_(probe) {
  create();
  if (const char* missing = load_functions(instance_->vk(), handle_, functions_)) {
    if (functions_.DestroyDevice != nullptr) functions_.DestroyDevice(handle_, nullptr);
    throw DeviceError(fmt::format("[{}] the driver lacks {}", probe.info.name, missing));
  }
  functions_.GetDeviceQueue(handle_, probe_.queue_family.index, 0, &queue_);
}

void LogicalDevice::create() {
  const Extensions extensions = wanted_extensions(probe_);
  FeatureChain features = probe_.physical.features.wanted();
  std::vector<const char*> names;
  for (const std::string& name : extensions) names.push_back(name.c_str());
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = probe_.queue_family.index;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = features.link(extensions, probe_.physical.version);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(names.size());
  info.ppEnabledExtensionNames = names.data();
  check(instance_->vk().CreateDevice(probe_.physical.handle, &info, nullptr, &handle_), probe_.info.name.c_str(),
        "the device cannot be opened");
}

LogicalDevice::~LogicalDevice() { functions_.DestroyDevice(handle_, nullptr); }

Status LogicalDevice::note(VkResult result) const noexcept {
  const Status status = to_status(result);
  if (status == Status::kLost) lost_.store(true, std::memory_order_release);
  return status;
}

}  // namespace plimsoll::hal::vulkan
