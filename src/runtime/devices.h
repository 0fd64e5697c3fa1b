// The devices of the process besides the CPU, in the order in which they were opened: Device(gpu, i) is the i-th.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plimsoll/device.h"
#include "runtime/gpu_device.h"

namespace plimsoll::runtime {

class Runtime;

class Devices {
 public:
  using Opener = std::function<std::unique_ptr<hal::Device>()>;

  explicit Devices(Runtime& runtime) : runtime_(runtime) {}

  // Opens a device by name: "vulkan", "vulkan:1", "sim:m1max-32", "null"; the one that is open already if it is. The
  // name alone means the driver's first. Throws DeviceError saying what there is.
  Device open(const std::string& name);

  // The same for a device that `opener` makes, now and after a loss: for tests with devices that no driver lists.
  Device open(const std::string& name, Opener opener);

  // Opens the first real GPU if none is open yet and there is one; quietly does nothing otherwise.
  void open_first_gpu();

  int count() const;

  // Throws std::invalid_argument naming `function` when there is no such device. A device that was lost is opened anew,
  // once, by the first new work (`reopen`).
  GpuDevice& gpu(int index, const char* function) const;
  GpuDevice& for_new_work(int index);

  // The device whose arrays live in the pool, open or lost; null: none.
  GpuDevice* of_pool(const memory::Pool* pool) const;

  // When the host works in the memory of a device that was lost: has it work in system memory from here on. Whether it
  // did.
  bool leave_lost_pool();

  // Waits for everything that was sent: losses are known then.
  void settle() const;

  // Waits for all work, ends all threads.
  void join();

 private:
  struct Slot {
    Opener opener;
    std::unique_ptr<GpuDevice> device;
    std::vector<std::unique_ptr<GpuDevice>> lost;  // kept: arrays still name their pools
    bool reopened = false;
  };

  std::unique_ptr<GpuDevice> make(const std::string& name, const Opener& opener);
  GpuDevice* find_owner(const memory::Pool* pool) const;

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  bool looked_for_gpu_ = false;
};

}  // namespace plimsoll::runtime
