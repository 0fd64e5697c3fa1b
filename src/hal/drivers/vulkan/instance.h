// A VkInstance: the driver makes one and every device keeps it alive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/drivers/vulkan/loader.h"
#include "hal/drivers/vulkan/validation.h"

namespace plimsoll::hal::vulkan {

class Instance {
 public:
  // Null with the reason in `why` when there is no Vulkan 1.2 here, or validation is asked for without its layer.
  static std::shared_ptr<const Instance> create(std::shared_ptr<const Loader> loader, bool validation,
                                                std::string& why);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return handle_; }
  const InstanceFunctions& vk() const { return functions_; }
  uint32_t version() const { return version_; }  // of Vulkan, as asked for
  bool validation() const { return validation_; }
  bool has_debug_utils() const { return debug_utils_; }
  uint64_t validation_messages() const { return listener_->messages(); }

  // In Vulkan's order.
  std::vector<VkPhysicalDevice> physical_devices() const;

 private:
  explicit Instance(std::shared_ptr<const Loader> loader) : loader_(std::move(loader)) {}
  std::string open(bool validation);
  std::string refusal(bool validation) const;
  VkResult make(const VkDebugUtilsMessengerCreateInfoEXT* messenger);

  std::shared_ptr<const Loader> loader_;
  std::unique_ptr<ValidationListener> listener_ = std::make_unique<ValidationListener>();
  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  InstanceFunctions functions_;
  uint32_t version_ = 0;
  bool validation_ = false;
  bool debug_utils_ = false;
};

}  // namespace plimsoll::hal::vulkan
