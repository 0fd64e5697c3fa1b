// An opened device with what the runtime keeps for it: its memory pools, its encoder, the command buffers in flight and
// the thread that sees them end.
//
// Command buffers are sent in encode order. One that needs work of another queue waits here, and those behind it too:
// driver queues never wait for the host.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/encoder.h"
#include "gpu/kernel_cache.h"
#include "gpu/launch_plan.h"
#include "hal/device.h"
#include "memory/pool.h"
#include "memory/residency.h"
#include "runtime/ticket_board.h"

namespace plimsoll::runtime {

class GpuDevice final : public gpu::CommandBufferSink {
 public:
  // `limits`: of the device's memory and of staging memory. Throws DeviceError.
  GpuDevice(std::unique_ptr<hal::Device> device, std::string name, TicketBoard& board, const memory::Limits& limits,
            const memory::Limits& staging_limits);
  ~GpuDevice() override;

  const std::string& name() const { return name_; }  // as it was opened: "vulkan:0"
  const hal::DeviceInfo& info() const { return device_->info(); }
  hal::Device& hal() { return *device_; }
  uint32_t stream() const { return stream_; }  // its number on the board

  // The memory of arrays, and of copies between host and device (the same pool where the host sees device memory).
  const std::shared_ptr<memory::Pool>& pool() const { return pool_; }
  const std::shared_ptr<memory::Pool>& staging() const { return staging_; }

  // Guarded by the scheduling lock.
  gpu::Encoder& encoder() { return *encoder_; }
  gpu::KernelCache& kernels() { return kernels_; }
  gpu::LaunchPlan& plan() { return plan_; }

  // Takes in what has ended since the last call: before encoding.
  void catch_up();

  // The last command buffer that was sent or waits to be.
  memory::Use last() const;

  // Whether the device is gone: what lived on it cannot be read any more.
  bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  // Whether it did all that it said it had done.
  bool is_healthy() const noexcept { return healthy_.load(std::memory_order_acquire) && !is_lost(); }
  [[noreturn]] void throw_lost(const char* doing) const;

  // gpu::CommandBufferSink
  void submit(std::unique_ptr<gpu::CommandBuffer> buffer) override;
  bool is_idle() const override;
  std::unique_ptr<hal::CommandList> take_list() override;

  // Waits for everything sent, ends the threads and keeps what was learned of the device's speed.
  void join();

 private:
  struct Sample {
    const hal::Kernel* kernel;
    hal::Cost cost;
    double seconds;
    uint64_t sequence;  // of the command buffer
  };
  using Lock = std::unique_lock<std::mutex>;
  using Entry = std::unique_ptr<gpu::CommandBuffer>;

  static constexpr size_t kMaxInFlight = 64;

  bool can_send(const gpu::CommandBuffer& buffer) const;
  void send(Entry buffer, Lock& lock);
  void hold_loop();
  void retire_loop();
  std::exception_ptr judge(const gpu::CommandBuffer& buffer);
  bool wait_done(const gpu::CommandBuffer& buffer);
  bool canary_is_right(const gpu::CommandBuffer& buffer) const;
  void learn(const gpu::CommandBuffer& buffer);
  void lose(const std::string& why);

  std::unique_ptr<hal::Device> device_;
  const std::string name_;
  TicketBoard& board_;
  const uint32_t stream_;
  const std::shared_ptr<memory::Residency> residency_;
  std::shared_ptr<memory::Pool> pool_;
  std::shared_ptr<memory::Pool> staging_;
  hal::Buffer canaries_;
  std::unique_ptr<gpu::Encoder> encoder_;
  gpu::KernelCache kernels_;
  gpu::LaunchPlan plan_;
  const std::string rates_path_;
  const double patience_;  // seconds without any progress after which the device counts as lost

  std::atomic<bool> lost_{false};
  std::atomic<bool> healthy_{true};

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Entry> held_;       // waiting for other queues
  std::deque<Entry> in_flight_;  // sent
  std::vector<std::unique_ptr<hal::CommandList>> lists_;
  std::vector<Sample> samples_;
  std::string why_lost_;
  uint64_t submitted_ = 0;
  uint64_t retired_ = 0;
  bool ending_ = false;
  bool sending_held_ = false;
  std::thread retirer_;
  std::thread holder_;
};

}  // namespace plimsoll::runtime
