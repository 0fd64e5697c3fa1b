#include "hal/drivers/vulkan/command_list.h"

#include <array>
#include <cstring>

#include "hal/drivers/vulkan/barriers.h"
#include "hal/drivers/vulkan/command_buffer.h"
#include "hal/drivers/vulkan/kernel.h"

namespace plimsoll::hal::vulkan {

CommandList::CommandList(const LogicalDevice& device, Memory& memory, VkPipelineLayout layout)
    : device_(device),
      vk_(device.vk()),
      memory_(memory),
      layout_(layout),
      pool_(make_command_pool(device)),
      buffer_(make_command_buffer(device, pool_.get())),
      arena_(memory),
      timestamps_(device) {
  begin();
}

void CommandList::begin() {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  status_ = device_.note(vk_.BeginCommandBuffer(buffer_, &info));
  ended_ = false;
  bound_ = VK_NULL_HANDLE;
  label_ = nullptr;
}

void CommandList::reset() {
  vk_.ResetCommandPool(device_.handle(), pool_.get(), 0);
  arena_.reset();
  timestamps_.reset();
  begin();
}

void CommandList::fail(Status status) {
  if (status_ == Status::kOk) status_ = status;
}

Status CommandList::end() {
  if (ended_) return status_;
  ended_ = true;
  record_host_barrier(vk_, buffer_);
  if (const VkResult result = vk_.EndCommandBuffer(buffer_); result != VK_SUCCESS) fail(device_.note(result));
  return status_;
}

void CommandList::dispatch(const Dispatch& dispatch) {
  const VkPipeline pipeline = static_cast<const Kernel&>(*dispatch.kernel).pipeline();
  if (pipeline != bound_) {
    vk_.CmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bound_ = pipeline;
  }
  push(dispatch.parameters);
  vk_.CmdDispatch(buffer_, dispatch.groups, 1, 1);
}

void CommandList::push(std::span<const std::byte> parameters) {
  uint64_t address = 0;
  if (parameters.size() > kDirectParameterBytes) {
    if (const Status status = arena_.put(parameters, address); status != Status::kOk) fail(status);
    parameters = std::as_bytes(std::span(&address, 1));
  }
  // Vulkan takes whole words.
  std::array<std::byte, kDirectParameterBytes> words;
  const auto bytes = static_cast<uint32_t>(parameters.size() + 3) / 4 * 4;
  if (bytes != parameters.size()) {
    std::memcpy(words.data(), parameters.data(), parameters.size());
    std::memset(words.data() + parameters.size(), 0, bytes - parameters.size());
    parameters = words;
  }
  if (bytes > 0) {
    vk_.CmdPushConstants(buffer_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, parameters.data());
  }
}

void CommandList::barrier() { record_barrier(vk_, buffer_); }

Memory::Place CommandList::place(const Access& access) {
  const Memory::Place place = memory_.find(access.region.address);
  if (place.buffer == VK_NULL_HANDLE) fail(Status::kDenied);
  return place;
}

void CommandList::copy(const Access& from, const Access& to) {
  if (from.region.empty()) return;
  const Memory::Place source = place(from), target = place(to);
  if (source.buffer == VK_NULL_HANDLE || target.buffer == VK_NULL_HANDLE) return;
  const VkBufferCopy range = {source.offset, target.offset, from.region.row_bytes};
  vk_.CmdCopyBuffer(buffer_, source.buffer, target.buffer, 1, &range);
}

void CommandList::fill(const Access& to, uint32_t pattern) {
  if (to.region.empty()) return;
  const Memory::Place target = place(to);
  if (target.buffer == VK_NULL_HANDLE) return;
  vk_.CmdFillBuffer(buffer_, target.buffer, target.offset, to.region.row_bytes, pattern);
}

uint32_t CommandList::timestamp() { return timestamps_.record(buffer_); }

std::vector<uint64_t> CommandList::timestamps() const { return timestamps_.read(); }

void CommandList::label(const char* name) {
  if (vk_.CmdInsertDebugUtilsLabelEXT == nullptr || name == label_) return;
  label_ = name;
  VkDebugUtilsLabelEXT label{};
  label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
  label.pLabelName = name;
  vk_.CmdInsertDebugUtilsLabelEXT(buffer_, &label);
}

}  // namespace plimsoll::hal::vulkan
