// An opened device: its parts put together.
#pragma once

#include <memory>

#include "hal/device.h"
#include "hal/drivers/vulkan/kernel_table.h"
#include "hal/drivers/vulkan/logical_device.h"
#include "hal/drivers/vulkan/memory.h"
#include "hal/drivers/vulkan/queue.h"

namespace plimsoll::hal::vulkan {

class Device final : public hal::Device {
 public:
  // Throws DeviceError when Vulkan refuses.
  Device(std::shared_ptr<const Instance> instance, const Probe& probe);
  ~Device() override { native_.wait_idle(); }

  const DeviceInfo& info() const noexcept override { return native_.probe().info; }
  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept override;
  void release(const Buffer& buffer) noexcept override;
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept override;
  const hal::Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) override;
  const hal::Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                        std::span<const uint32_t> constants) override;
  std::unique_ptr<hal::CommandList> new_command_list() override;
  hal::Queue& queue() noexcept override { return queue_; }
  MemoryBudget memory_budget() const noexcept override;
  bool can_wire() const noexcept override { return memory_.can_wire(); }
  bool set_resident(const Buffer& buffer, bool resident) noexcept override;

 private:
  void refuse_if_lost() const;

  LogicalDevice native_;
  Memory memory_;
  KernelTable kernels_;
  Queue queue_;
};

}  // namespace plimsoll::hal::vulkan
