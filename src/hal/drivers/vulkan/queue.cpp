#include "hal/drivers/vulkan/queue.h"

#include <algorithm>
#include <array>

#include "hal/drivers/vulkan/barriers.h"
#include "hal/drivers/vulkan/command_buffer.h"
#include "hal/drivers/vulkan/command_list.h"
#include "hal/drivers/vulkan/status.h"

namespace plimsoll::hal::vulkan {
namespace {

OwnedSemaphore make_timeline(const LogicalDevice& device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(device.vk().CreateSemaphore(device.handle(), &info, nullptr, &semaphore), device.probe().info.name.c_str(),
        "no timeline semaphore");
  return {device, semaphore};
}

VkCommandBuffer record_order(const LogicalDevice& device, VkCommandPool pool) {
  const VkCommandBuffer buffer = make_command_buffer(device, pool);
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  check(device.vk().BeginCommandBuffer(buffer, &info), device.probe().info.name.c_str(), "no command buffer");
  record_barrier(device.vk(), buffer);
  check(device.vk().EndCommandBuffer(buffer), device.probe().info.name.c_str(), "no command buffer");
  return buffer;
}

constexpr std::chrono::milliseconds kWaitSlice{100};

// Nanoseconds until the deadline, from 0 to the most that Vulkan's drivers take without trouble (about 100 days).
uint64_t timeout_until(std::chrono::steady_clock::time_point deadline) {
  using std::chrono::nanoseconds, std::chrono::hours;
  const auto now = std::chrono::steady_clock::now();
  if (deadline <= now) return 0;
  const nanoseconds most = hours(2400);
  if (deadline > now + most) return static_cast<uint64_t>(most.count());
  return static_cast<uint64_t>(std::chrono::duration_cast<nanoseconds>(deadline - now).count());
}

}  // namespace

Queue::Queue(const LogicalDevice& device)
    : device_(device),
      timeline_(make_timeline(device)),
      pool_(make_command_pool(device)),
      order_(record_order(device, pool_.get())) {}

Status Queue::submit(hal::CommandList& list, Ticket after, Ticket& out) {
  auto& native = static_cast<CommandList&>(list);
  if (device_.lost()) return Status::kLost;
  if (const Status status = native.end(); status != Status::kOk) return status;
  const std::lock_guard lock(mutex_);
  const Ticket ticket = submitted_.load(std::memory_order_relaxed) + 1;
  const Status status = send(native.buffer(), after, ticket);
  if (status != Status::kOk) return status;
  submitted_.store(ticket, std::memory_order_release);
  out = ticket;
  return Status::kOk;
}

Status Queue::send(VkCommandBuffer buffer, Ticket after, Ticket ticket) {
  const bool behind_latest = after != 0 && after + 1 == ticket;
  const bool behind_older = after != 0 && !behind_latest;
  const std::array<VkCommandBuffer, 2> buffers = {order_, buffer};
  const VkSemaphore timeline = timeline_.get();
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = behind_older ? 1 : 0;
  values.pWaitSemaphoreValues = &after;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &ticket;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = behind_older ? 1 : 0;
  info.pWaitSemaphores = &timeline;
  info.pWaitDstStageMask = &stages;
  info.commandBufferCount = behind_latest ? 2 : 1;
  info.pCommandBuffers = behind_latest ? buffers.data() : buffers.data() + 1;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline;
  return device_.note(device_.vk().QueueSubmit(device_.queue(), 1, &info, VK_NULL_HANDLE));
}

void Queue::saw_completed(Ticket ticket) const noexcept {
  Ticket known = completed_.load(std::memory_order_relaxed);
  while (known < ticket && !completed_.compare_exchange_weak(known, ticket, std::memory_order_release)) {
  }
}

Ticket Queue::completed() const noexcept {
  const Ticket known = completed_.load(std::memory_order_acquire);
  const Ticket submitted = submitted_.load(std::memory_order_acquire);
  if (known == submitted || device_.lost()) return known;
  uint64_t value = 0;
  const VkResult result = device_.vk().GetSemaphoreCounterValue(device_.handle(), timeline_.get(), &value);
  if (device_.note(result) != Status::kOk) return known;
  // Some drivers show the highest value of all on a lost device.
  if (value > submitted_.load(std::memory_order_acquire)) return known;
  saw_completed(value);
  return std::max(known, value);
}

Status Queue::wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) {
  if (done(ticket)) return Status::kOk;
  if (device_.lost()) return Status::kLost;
  const VkSemaphore timeline = timeline_.get();
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &ticket;
  // In slices: software devices have been seen to miss the wake-up of a wait that began as the work ended.
  for (;;) {
    const auto now = std::chrono::steady_clock::now();
    const VkResult result =
        device_.vk().WaitSemaphores(device_.handle(), &info, timeout_until(std::min(deadline, now + kWaitSlice)));
    const Status status = device_.note(result);
    if (status == Status::kOk) saw_completed(ticket);
    if (status != Status::kTimedOut || now >= deadline || done(ticket)) return done(ticket) ? Status::kOk : status;
  }
}

}  // namespace plimsoll::hal::vulkan
