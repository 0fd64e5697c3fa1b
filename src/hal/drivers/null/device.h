// A device that runs no kernels.
#pragma once

#include <utility>

#include "hal/device.h"
#include "hal/drivers/null/host_memory.h"
#include "hal/drivers/null/kernels.h"
#include "hal/drivers/null/queue.h"

namespace plimsoll::hal::null {

class Device final : public hal::Device {
 public:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}

  const DeviceInfo& info() const noexcept override { return info_; }

  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept override;
  void release(const Buffer& buffer) noexcept override;
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept override;

  const hal::Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) override;
  const hal::Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                        std::span<const uint32_t> constants) override;

  std::unique_ptr<hal::CommandList> new_command_list() override;
  hal::Queue& queue() noexcept override { return queue_; }

  MemoryBudget memory_budget() const noexcept override { return {info_.memory_bytes, memory_.used()}; }

  bool can_wire() const noexcept override { return false; }
  bool set_resident(const Buffer&, bool) noexcept override { return false; }

 private:
  const DeviceInfo info_;
  HostMemory memory_;
  Kernels kernels_;
  Queue queue_;
};

}  // namespace plimsoll::hal::null
