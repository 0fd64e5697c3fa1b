// The devices of the process besides the CPU, in the order in which they were opened: Device(gpu, i) is the i-th.
#pragma once

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
  explicit Devices(Runtime& runtime) : runtime_(runtime) {}

  // Opens a device by name: "vulkan", "vulkan:1", "sim:m1max-32", "null"; the one that is open already if it is. The
  // name alone means the driver's first. Throws DeviceError saying what there is.
  Device open(const std::string& name);

  // Opens the first real GPU if none is open yet and there is one; quietly does nothing otherwise.
  void open_first_gpu();

  int count() const;

  // Throws std::invalid_argument naming `function` when there is no such device. A device that was lost is opened anew,
  // once, by the first new work (`reopen`).
  GpuDevice& gpu(int index, const char* function) const;
  GpuDevice& for_new_work(int index);

  // The open device whose arrays live in the pool; null: none.
  GpuDevice* of_pool(const memory::Pool* pool) const;

  // Waits for all work, ends all threads.
  void join();

 private:
  struct Slot {
    std::unique_ptr<GpuDevice> device;
    std::vector<std::unique_ptr<GpuDevice>> lost;  // kept: arrays still name their pools
    bool reopened = false;
  };

  std::unique_ptr<GpuDevice> make(const std::string& name);

  Runtime& runtime_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> slots_;
  bool looked_for_gpu_ = false;
};

}  // namespace plimsoll::runtime
