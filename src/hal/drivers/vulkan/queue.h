// A VkQueue whose tickets are the values of one timeline semaphore.
#pragma once

#include <atomic>
#include <mutex>

#include "hal/drivers/vulkan/logical_device.h"
#include "hal/queue.h"

namespace plimsoll::hal::vulkan {

// Order between submissions costs what it must: behind the latest one a command buffer with one barrier goes first;
// behind an older one the submission waits for the timeline, and may pass those between.
class Queue final : public hal::Queue {
 public:
  // Throws DeviceError when Vulkan refuses.
  explicit Queue(const LogicalDevice& device);

  Status submit(hal::CommandList& list, Ticket after, Ticket& out) override;
  Ticket completed() const noexcept override;
  Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) override;

 private:
  Status send(VkCommandBuffer buffer, Ticket after, Ticket ticket);
  void saw_completed(Ticket ticket) const noexcept;

  const LogicalDevice& device_;
  OwnedSemaphore timeline_;
  OwnedCommandPool pool_;
  VkCommandBuffer order_ = VK_NULL_HANDLE;  // one barrier; submitted any number of times
  std::mutex mutex_;                        // of submissions: Vulkan wants one at a time, and tickets count them
  std::atomic<Ticket> submitted_{0};
  mutable std::atomic<Ticket> completed_{0};
};

}  // namespace plimsoll::hal::vulkan
