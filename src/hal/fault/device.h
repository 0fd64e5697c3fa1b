// A device that fails on command, over any other: the way to every path that a failure takes.
#pragma once

#include <atomic>
#include <memory>

#include "hal/device.h"
#include "hal/fault/plan.h"
#include "hal/fault/queue.h"

namespace plimsoll::hal::fault {

class Device final : public hal::Device {
 public:
  Device(std::unique_ptr<hal::Device> inner, std::shared_ptr<Plan> plan, const Caps& caps = {});

  const DeviceInfo& info() const noexcept override { return info_; }
  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept override;
  void release(const Buffer& buffer) noexcept override;
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept override;
  const Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) override;
  const Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                   std::span<const uint32_t> constants) override;
  std::unique_ptr<hal::CommandList> new_command_list() override;
  Queue& queue() noexcept override { return queue_; }
  MemoryBudget memory_budget() const noexcept override { return inner_->memory_budget(); }
  bool can_wire() const noexcept override { return inner_->can_wire(); }
  bool set_resident(const Buffer& buffer, bool resident) noexcept override;

  hal::Device& inner() { return *inner_; }

 private:
  Status refusal(size_t bytes) noexcept;
  Status counted(Status status) noexcept;
  void require_present() const;
  void require_kernel(const std::string& name);

  std::unique_ptr<hal::Device> inner_;
  std::shared_ptr<Plan> plan_;
  const DeviceInfo info_;
  Queue queue_;
  std::atomic<size_t> buffers_ = 0;  // held, imported ones included
};

}  // namespace plimsoll::hal::fault
