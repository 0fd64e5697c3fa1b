#include "hal/drivers/vulkan/driver.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/device.h"
#include "hal/drivers/vulkan/instance.h"
#include "hal/drivers/vulkan/probe.h"

namespace plimsoll::hal::vulkan {
namespace {

class VulkanDriver final : public Driver {
 public:
  explicit VulkanDriver(const Options& options) {
    const auto loader = Loader::open(options.loaders, why_unavailable_);
    if (loader == nullptr) return;
    instance_ = Instance::create(loader, options.validation, why_unavailable_);
    if (instance_ == nullptr) return;
    for (VkPhysicalDevice device : instance_->physical_devices()) probes_.push_back(probe(*instance_, device, options));
    std::stable_partition(probes_.begin(), probes_.end(),
                          [](const Probe& found) { return found.info.type != DeviceType::kSoftware; });
    if (probes_.empty()) why_unavailable_ = "Vulkan lists no device";
  }

  const char* name() const noexcept override { return "vulkan"; }
  std::string unavailable() const override { return why_unavailable_; }

  std::vector<Candidate> candidates() override {
    std::vector<Candidate> found;
    for (const Probe& device : probes_) found.push_back({device.info, device.unusable});
    return found;
  }

  std::unique_ptr<hal::Device> open(size_t index) override {
    if (!why_unavailable_.empty()) throw DeviceError("[vulkan] " + why_unavailable_);
    if (index >= probes_.size()) {
      throw DeviceError(fmt::format("[vulkan] there is no device {}; there are {}", index, probes_.size()));
    }
    const Probe& device = probes_[index];
    if (!device.unusable.empty()) {
      throw DeviceError(fmt::format("[vulkan] {} cannot be used: {}", device.info.name, device.unusable));
    }
    return std::make_unique<Device>(instance_, device);
  }
  using Driver::open;

  uint64_t validation_messages() const { return instance_ == nullptr ? 0 : instance_->validation_messages(); }

 private:
  std::string why_unavailable_;
  std::shared_ptr<const Instance> instance_;
  std::vector<Probe> probes_;  // as candidates() counts them
};

}  // namespace

std::unique_ptr<Driver> make_driver(const Options& options) { return std::make_unique<VulkanDriver>(options); }

std::unique_ptr<Driver> make_driver() { return make_driver(Options::from_environment()); }

uint64_t validation_messages(const Driver& driver) {
  return static_cast<const VulkanDriver&>(driver).validation_messages();
}

}  // namespace plimsoll::hal::vulkan
