// A simulated device: the contract, and what tests and planners set and read beside it.
#pragma once

#include <mutex>

#include "hal/device.h"
#include "hal/drivers/null/kernels.h"
#include "hal/drivers/sim/machine.h"
#include "hal/drivers/sim/memory.h"
#include "hal/drivers/sim/queue.h"
#include "hal/drivers/sim/schedule.h"

namespace plimsoll::hal::sim {

class Device final : public hal::Device {
 public:
  explicit Device(Machine machine);

  const DeviceInfo& info() const noexcept override { return machine_.info; }

  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept override;
  void release(const Buffer& buffer) noexcept override { memory_.release(buffer); }
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept override;

  const hal::Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) override;
  const hal::Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                        std::span<const uint32_t> constants) override;
  std::unique_ptr<hal::CommandList> new_command_list() override;
  Queue& queue() noexcept override { return queue_; }

  MemoryBudget memory_budget() const noexcept override { return {machine_.working_set_bytes, memory_.used()}; }
  bool can_wire() const noexcept override { return machine_.wires; }
  bool set_resident(const Buffer& buffer, bool resident) noexcept override;

  // What goes wrong from now on.
  void set_schedule(const Schedule& schedule);
  // Calls of allocate so far.
  uint64_t allocations() const;

  const Machine& machine() const { return machine_; }
  size_t wired() const noexcept { return memory_.wired(); }

 private:
  void require_present() const;

  const Machine machine_;
  Memory memory_;
  null::Kernels kernels_;
  Queue queue_;
  mutable std::mutex mutex_;  // guards the two below
  Occasions deny_allocations_;
  uint64_t allocations_ = 0;
};

}  // namespace plimsoll::hal::sim
