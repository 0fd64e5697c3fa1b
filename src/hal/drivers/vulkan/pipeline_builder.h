// Makes compute pipelines out of SPIR-V.
#pragma once

#include <cstdint>
#include <span>

#include "hal/drivers/vulkan/logical_device.h"
#include "hal/drivers/vulkan/pipeline_cache.h"

namespace plimsoll::hal::vulkan {

// Thread-safe: pipelines are made side by side.
class PipelineBuilder {
 public:
  explicit PipelineBuilder(const LogicalDevice& device);

  // The layout of every kernel: no descriptors, push constants for the parameter block.
  VkPipelineLayout layout() const { return layout_.get(); }

  // `name` is for messages. Throws DeviceError when the device refuses the code.
  OwnedPipeline build(const char* name, std::span<const uint32_t> spirv, std::span<const uint32_t> constants) const;

 private:
  OwnedShaderModule make_module(const char* name, std::span<const uint32_t> spirv) const;

  const LogicalDevice& device_;
  PipelineCacheFolder caches_;
  OwnedPipelineLayout layout_;
};

}  // namespace plimsoll::hal::vulkan
