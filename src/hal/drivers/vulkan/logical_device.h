// A VkDevice with its queue: what all parts of an opened device share.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "hal/drivers/vulkan/instance.h"
#include "hal/drivers/vulkan/probe.h"
#include "hal/status.h"

namespace plimsoll::hal::vulkan {

class LogicalDevice {
 public:
  // Turns on what the probe found. Throws DeviceError when Vulkan refuses.
  LogicalDevice(std::shared_ptr<const Instance> instance, const Probe& probe);
  ~LogicalDevice();
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;

  VkDevice handle() const { return handle_; }
  VkQueue queue() const { return queue_; }
  const DeviceFunctions& vk() const { return functions_; }
  const Instance& instance() const { return *instance_; }
  const Probe& probe() const { return probe_; }

  // The result in the contract's terms. A lost device is remembered.
  Status note(VkResult result) const noexcept;
  void wait_idle() const noexcept { functions_.DeviceWaitIdle(handle_); }
  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }

 private:
  void create();

  std::shared_ptr<const Instance> instance_;
  Probe probe_;
  VkDevice handle_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  DeviceFunctions functions_;
  mutable std::atomic<bool> lost_{false};
};

// A Vulkan object that is destroyed with its owner. kDestroy: the entry of DeviceFunctions that does it.
template <typename Handle, auto kDestroy>
class Owned {
 public:
  Owned() = default;
  Owned(const LogicalDevice& device, Handle handle) : device_(&device), handle_(handle) {}
  Owned(Owned&& other) noexcept : device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != VK_NULL_HANDLE) (device_->vk().*kDestroy)(device_->handle(), handle_, nullptr);
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != VK_NULL_HANDLE; }

 private:
  const LogicalDevice* device_ = nullptr;
  Handle handle_ = VK_NULL_HANDLE;
};

using OwnedBuffer = Owned<VkBuffer, &DeviceFunctions::DestroyBuffer>;
using OwnedMemory = Owned<VkDeviceMemory, &DeviceFunctions::FreeMemory>;
using OwnedCommandPool = Owned<VkCommandPool, &DeviceFunctions::DestroyCommandPool>;
using OwnedQueryPool = Owned<VkQueryPool, &DeviceFunctions::DestroyQueryPool>;
using OwnedSemaphore = Owned<VkSemaphore, &DeviceFunctions::DestroySemaphore>;
using OwnedShaderModule = Owned<VkShaderModule, &DeviceFunctions::DestroyShaderModule>;
using OwnedPipelineLayout = Owned<VkPipelineLayout, &DeviceFunctions::DestroyPipelineLayout>;
using OwnedPipelineCache = Owned<VkPipelineCache, &DeviceFunctions::DestroyPipelineCache>;
using OwnedPipeline = Owned<VkPipeline, &DeviceFunctions::DestroyPipeline>;

}  // namespace plimsoll::hal::vulkan
