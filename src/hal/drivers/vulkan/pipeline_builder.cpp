#include "hal/drivers/vulkan/pipeline_builder.h"

#include <vector>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "hal/drivers/vulkan/status.h"
#include "hal/kernel.h"

namespace plimsoll::hal::vulkan {
namespace {

OwnedPipelineLayout make_layout(const LogicalDevice& device) {
  VkPushConstantRange range{};
  range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  range.size = kDirectParameterBytes;
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(device.vk().CreatePipelineLayout(device.handle(), &info, nullptr, &layout), "vulkan", "no pipeline layout");
  return {device, layout};
}

// Constant i has id i, but for the last, which is kExactHalvesConstant.
std::vector<VkSpecializationMapEntry> map_entries(size_t count) {
  std::vector<VkSpecializationMapEntry> entries(count);
  for (uint32_t i = 0; i < count; ++i) {
    entries[i] = {i, static_cast<uint32_t>(i * sizeof(uint32_t)), sizeof(uint32_t)};
  }
  entries.back().constantID = kExactHalvesConstant;
  return entries;
}

}  // namespace

PipelineBuilder::PipelineBuilder(const LogicalDevice& device)
    : device_(device), caches_(device), layout_(make_layout(device)) {}

OwnedShaderModule PipelineBuilder::make_module(const char* name, std::span<const uint32_t> spirv) const {
  if (spirv.empty()) throw DeviceError(fmt::format("[{}] the kernel has no SPIR-V in this build", name));
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = spirv.size_bytes();
  info.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(device_.vk().CreateShaderModule(device_.handle(), &info, nullptr, &module), name,
        "the device refuses the kernel's code");
  return {device_, module};
}

OwnedPipeline PipelineBuilder::build(const char* name, std::span<const uint32_t> spirv,
                                     std::span<const uint32_t> given) const {
  const OwnedShaderModule module = make_module(name, spirv);
  std::vector<uint32_t> constants(given.begin(), given.end());
  constants.push_back(device_.probe().info.has_exact_halves ? 1 : 0);
  const std::vector<VkSpecializationMapEntry> entries = map_entries(constants.size());
  const VkSpecializationInfo specialization = {static_cast<uint32_t>(entries.size()), entries.data(),
                                               constants.size() * sizeof(uint32_t), constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_.get();
  PipelineCacheFile cache = caches_.open(spirv, constants);
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult result =
      device_.vk().CreateComputePipelines(device_.handle(), cache.handle(), 1, &info, nullptr, &pipeline);
  device_.note(result);
  check(result, name, "the device refuses the kernel");
  OwnedPipeline made(device_, pipeline);
  cache.save();
  return made;
}

}  // namespace plimsoll::hal::vulkan
