#include "hal/drivers/vulkan/instance.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "hal/drivers/vulkan/status.h"

namespace plimsoll::hal::vulkan {
namespace {

bool has_layer(const GlobalFunctions& vk, const char* name) {
  uint32_t count = 0;
  vk.EnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vk.EnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.begin() + count,
                     [&](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

// Extensions of the loader and its drivers, or of `layer` when not null.
bool has_extension(const GlobalFunctions& vk, const char* layer, const char* name) {
  uint32_t count = 0;
  vk.EnumerateInstanceExtensionProperties(layer, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vk.EnumerateInstanceExtensionProperties(layer, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.begin() + count, [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

}  // namespace

std::shared_ptr<const Instance> Instance::create(std::shared_ptr<const Loader> loader, bool validation,
                                                 std::string& why) {
  std::shared_ptr<Instance> instance(new Instance(std::move(loader)));
  why = instance->open(validation);
  if (!why.empty()) return nullptr;
  return instance;
}

// Why it cannot be opened; empty if it can.
std::string Instance::refusal(bool validation) const {
  if (version_ < VK_API_VERSION_1_2) {
    return fmt::format("the Vulkan loader knows version {}.{}; 1.2 is needed", VK_API_VERSION_MAJOR(version_),
                       VK_API_VERSION_MINOR(version_));
  }
  if (validation && !has_layer(loader_->vk(), kValidationLayer)) {
    return fmt::format("PLIMSOLL_VULKAN_VALIDATION is on, but {} is not installed", kValidationLayer);
  }
  return {};
}

VkResult Instance::make(const VkDebugUtilsMessengerCreateInfoEXT* messenger) {
  std::vector<const char*> extensions;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = messenger;
  if (debug_utils_) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  // Devices that are layered over another interface (MoltenVK) are listed only when asked for.
  if (has_extension(loader_->vk(), nullptr, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "plimsoll";
  application.apiVersion = version_;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validation_ ? 1 : 0;
  info.ppEnabledLayerNames = &kValidationLayer;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  return loader_->vk().CreateInstance(&info, nullptr, &handle_);
}

// Returns why it cannot be opened; empty when it is open.
std::string Instance::open(bool validation) {
  const GlobalFunctions& vk = loader_->vk();
  vk.EnumerateInstanceVersion(&version_);
  version_ = std::min<uint32_t>(version_, VK_API_VERSION_1_3);
  if (std::string why = refusal(validation); !why.empty()) return why;
  validation_ = validation;
  debug_utils_ = has_extension(vk, nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) ||
                 (validation && has_extension(vk, kValidationLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
  const VkDebugUtilsMessengerCreateInfoEXT messenger = listener_->create_info();
  const bool listens = validation_ && debug_utils_;
  if (const VkResult result = make(listens ? &messenger : nullptr); result != VK_SUCCESS) {
    handle_ = VK_NULL_HANDLE;
    return fmt::format("vkCreateInstance answers {}", name_of(result));
  }
  if (const char* missing = load_functions(vk, handle_, functions_)) return fmt::format("Vulkan lacks {}", missing);
  if (listens) functions_.CreateDebugUtilsMessengerEXT(handle_, &messenger, nullptr, &messenger_);
  return {};
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) functions_.DestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  if (handle_ != VK_NULL_HANDLE && functions_.DestroyInstance != nullptr) functions_.DestroyInstance(handle_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  uint32_t count = 0;
  functions_.EnumeratePhysicalDevices(handle_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  functions_.EnumeratePhysicalDevices(handle_, &count, devices.data());
  devices.resize(count);
  return devices;
}

}  // namespace plimsoll::hal::vulkan
