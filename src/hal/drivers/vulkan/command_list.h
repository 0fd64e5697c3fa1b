// A VkCommandBuffer with a pool of its own.
#pragma once

#include "hal/command_list.h"
#include "hal/drivers/vulkan/memory.h"
#include "hal/drivers/vulkan/parameter_arena.h"
#include "hal/drivers/vulkan/timestamps.h"
#include "hal/status.h"

namespace plimsoll::hal::vulkan {

class CommandList final : public hal::CommandList {
 public:
  // Throws DeviceError when the device gives no command buffer. `layout` is that of every kernel.
  CommandList(const LogicalDevice& device, Memory& memory, VkPipelineLayout layout);

  void dispatch(const Dispatch& dispatch) override;
  void barrier() override;
  void copy(const Access& from, const Access& to) override;
  void fill(const Access& to, uint32_t pattern) override;
  uint32_t timestamp() override;
  std::vector<uint64_t> timestamps() const override;
  void label(const char* name) override;
  void reset() override;

  // For the queue. Ends the recording, once; kDenied when some command found no memory: the list is then of no use
  // until it is reset.
  Status end();
  VkCommandBuffer buffer() const { return buffer_; }

 private:
  void begin();
  void bind(const Dispatch& dispatch);
  void push(std::span<const std::byte> parameters);
  void fail(Status status);
  Memory::Place place(const Access& access);

  const LogicalDevice& device_;
  const DeviceFunctions& vk_;
  Memory& memory_;
  VkPipelineLayout layout_;
  OwnedCommandPool pool_;
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
  ParameterArena arena_;
  Timestamps timestamps_;
  VkPipeline bound_ = VK_NULL_HANDLE;
  const char* label_ = nullptr;
  Status status_ = Status::kOk;
  bool ended_ = false;
};

}  // namespace plimsoll::hal::vulkan
