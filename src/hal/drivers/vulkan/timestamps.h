// Notes of the device's clock in one command list.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/drivers/vulkan/logical_device.h"

namespace plimsoll::hal::vulkan {

class Timestamps {
 public:
  explicit Timestamps(const LogicalDevice& device) : device_(device) {}

  // CommandList::timestamp(). The query pool is made on first use.
  uint32_t record(VkCommandBuffer buffer);

  // All notes in nanoseconds, never decreasing where the clock wraps once between two. pre: they have been taken.
  std::vector<uint64_t> read() const;

  void reset() { count_ = 0; }

 private:
  bool open_pool();

  const LogicalDevice& device_;
  OwnedQueryPool pool_;
  uint32_t count_ = 0;
};

// Ticks of a clock of `bits` bits, wrapped, as nanoseconds that go on counting.
std::vector<uint64_t> to_nanoseconds(std::vector<uint64_t> ticks, uint32_t bits, double nanoseconds_per_tick);

}  // namespace plimsoll::hal::vulkan
