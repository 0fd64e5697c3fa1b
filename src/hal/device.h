// The contract of a device. Drivers do not check what they are given: the layers above do, and the decorators in check/
// and fault/ stand in front of any device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hal/buffer.h"
#include "hal/command_list.h"
#include "hal/device_info.h"
#include "hal/kernel.h"
#include "hal/queue.h"
#include "hal/status.h"

namespace plimsoll::hal {

// What the system says of the device's memory now.
struct MemoryBudget {
  size_t budget = 0;  // bytes that this process can use, those in use included
  size_t used = 0;    // bytes that this process uses, as the system counts
};

// Thread-safe, except that a command list belongs to one thread at a time. Outlives everything it hands out; nothing
// may be in flight when it is destroyed.
class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual const DeviceInfo& info() const noexcept = 0;

  // A buffer of at least `bytes` (not 0); its contents are undefined. Sets `out` on kOk only. One driver allocation
  // each: pools above share small ones out.
  virtual Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept = 0;
  // pre: nothing in flight touches it.
  virtual void release(const Buffer& buffer) noexcept = 0;

  // Makes host memory reachable by kernels, without a copy: page-aligned, kept mapped until released. kDenied where the
  // device cannot, or cannot this memory.
  virtual Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept = 0;

  // The kernel with its specialization constants, id 0, 1, ... Made on first use (which may take long: hold no lock)
  // and kept. Throws DeviceError naming the kernel when the device refuses it.
  virtual const Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) = 0;

  // The same from source text (for this project's GPUs: GLSL, with common.glsl's contents in front). Throws DeviceError
  // with the compiler's messages.
  virtual const Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                           std::span<const uint32_t> constants) = 0;

  // Throws DeviceError when the device is lost or out of host memory.
  virtual std::unique_ptr<CommandList> new_command_list() = 0;

  virtual Queue& queue() noexcept = 0;

  virtual MemoryBudget memory_budget() const noexcept = 0;

  // Residency: a hint that survives pressure. False and no effect where the device cannot.
  virtual bool can_wire() const noexcept = 0;
  virtual bool set_resident(const Buffer& buffer, bool resident) noexcept = 0;
};

}  // namespace plimsoll::hal
