// A device that judges what it is given, over any other: whether every conflict of the recorded commands is ordered and
// no order is needless (order.h), and, if asked, whether dispatches do what they state (statements.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hal/check/buffers.h"
#include "hal/check/order.h"
#include "hal/check/queue.h"
#include "hal/check/report.h"
#include "hal/check/statements.h"
#include "hal/device.h"

namespace plimsoll::hal::check {

enum class Mode : uint8_t {
  kOrder,
  kStatements,  // order too; without effect on devices whose statements cannot be proven (can_prove)
};

class Device final : public hal::Device {
 public:
  Device(std::unique_ptr<hal::Device> inner, std::shared_ptr<Report> report, Mode mode = Mode::kOrder);

  const DeviceInfo& info() const noexcept override { return inner_->info(); }
  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept override;
  void release(const Buffer& buffer) noexcept override;
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept override;
  const Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) override {
    return inner_->kernel(code, constants);
  }
  const Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                   std::span<const uint32_t> constants) override {
    return inner_->kernel_from_source(name, source, constants);
  }
  std::unique_ptr<hal::CommandList> new_command_list() override;
  Queue& queue() noexcept override { return queue_; }
  MemoryBudget memory_budget() const noexcept override { return inner_->memory_budget(); }
  bool can_wire() const noexcept override { return inner_->can_wire(); }
  bool set_resident(const Buffer& buffer, bool resident) noexcept override {
    return inner_->set_resident(buffer, resident);
  }

  hal::Device& inner() { return *inner_; }

 private:
  std::unique_ptr<hal::Device> inner_;
  const std::shared_ptr<Report> report_;
  Buffers buffers_;
  OrderJudge judge_;
  std::optional<StatementProver> prover_;
  Queue queue_;
};

}  // namespace plimsoll::hal::check
