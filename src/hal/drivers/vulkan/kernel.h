// A compute pipeline.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "hal/drivers/vulkan/logical_device.h"
#include "hal/kernel.h"

namespace plimsoll::hal::vulkan {

class Kernel final : public hal::Kernel {
 public:
  Kernel(std::string name, OwnedPipeline pipeline) : name_(std::move(name)), pipeline_(std::move(pipeline)) {}

  const char* name() const noexcept override { return name_.c_str(); }
  VkPipeline pipeline() const noexcept { return pipeline_.get(); }

 private:
  std::string name_;
  OwnedPipeline pipeline_;
};

}  // namespace plimsoll::hal::vulkan
