#include "hal/drivers/vulkan/timestamps.h"

#include <cmath>

#include "hal/command_list.h"

namespace plimsoll::hal::vulkan {
namespace {

constexpr uint32_t kMost = CommandList::kMaxTimestamps;
// Queries are reset in runs of this many, when the first of a run is needed.
constexpr uint32_t kRun = 32;

}  // namespace

bool Timestamps::open_pool() {
  if (pool_) return true;
  if (device_.probe().queue_family.timestamp_bits == 0) return false;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = kMost;
  VkQueryPool pool = VK_NULL_HANDLE;
  if (device_.vk().CreateQueryPool(device_.handle(), &info, nullptr, &pool) != VK_SUCCESS) return false;
  pool_ = OwnedQueryPool(device_, pool);
  return true;
}

uint32_t Timestamps::record(VkCommandBuffer buffer) {
  if (count_ == kMost || !open_pool()) return CommandList::kNoTimestamp;
  if (count_ % kRun == 0) device_.vk().CmdResetQueryPool(buffer, pool_.get(), count_, kRun);
  device_.vk().CmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_.get(), count_);
  return count_++;
}

std::vector<uint64_t> Timestamps::read() const {
  if (count_ == 0) return {};
  std::vector<uint64_t> ticks(count_);
  const VkResult result = device_.vk().GetQueryPoolResults(
      device_.handle(), pool_.get(), 0, count_, ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  if (device_.note(result) != Status::kOk) return std::vector<uint64_t>(count_, 0);
  return to_nanoseconds(std::move(ticks), device_.probe().queue_family.timestamp_bits,
                        device_.probe().physical.properties.limits.timestampPeriod);
}

std::vector<uint64_t> to_nanoseconds(std::vector<uint64_t> ticks, uint32_t bits, double nanoseconds_per_tick) {
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  uint64_t last = 0, total = 0;
  for (size_t i = 0; i < ticks.size(); ++i) {
    const uint64_t now = ticks[i] & mask;
    total += i == 0 ? now : (now - last) & mask;
    last = now;
    ticks[i] = nanoseconds_per_tick == 1 ? total : uint64_t(std::llround(double(total) * nanoseconds_per_tick));
  }
  return ticks;
}

}  // namespace plimsoll::hal::vulkan
