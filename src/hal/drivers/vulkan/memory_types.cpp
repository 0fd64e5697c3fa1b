#include "hal/drivers/vulkan/memory_types.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace plimsoll::hal::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
// Types with other properties (protected, lazily allocated, uncached on the device) are for other uses.
constexpr VkMemoryPropertyFlags kPlain = kLocal | kCoherent | kCached;

class Chooser {
 public:
  explicit Chooser(const VkPhysicalDeviceMemoryProperties& memory) : memory_(memory) {}

  VkMemoryPropertyFlags flags(uint32_t type) const { return memory_.memoryTypes[type].propertyFlags; }
  uint32_t heap(uint32_t type) const { return memory_.memoryTypes[type].heapIndex; }
  VkDeviceSize heap_bytes(uint32_t type) const { return memory_.memoryHeaps[heap(type)].size; }

  // Plain types with all of `needed`. Sorted by: the most of `preferred`, the fewest of `avoided`, the largest heap,
  // the fewest other properties.
  std::vector<uint32_t> types(VkMemoryPropertyFlags needed, VkMemoryPropertyFlags preferred,
                              VkMemoryPropertyFlags avoided = 0) const {
    std::vector<uint32_t> found;
    for (uint32_t type = 0; type < memory_.memoryTypeCount; ++type) {
      if ((flags(type) & needed) == needed && (flags(type) & ~kPlain) == 0) found.push_back(type);
    }
    const auto key = [&](uint32_t type) {
      return std::tuple(-std::popcount(flags(type) & preferred), std::popcount(flags(type) & avoided),
                        UINT64_MAX - heap_bytes(type), std::popcount(flags(type)));
    };
    std::stable_sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    return found;
  }

 private:
  const VkPhysicalDeviceMemoryProperties& memory_;
};

}  // namespace

MemoryTypes choose_memory_types(const VkPhysicalDeviceMemoryProperties& memory, bool may_be_unified) {
  const Chooser chooser(memory);
  MemoryTypes types;
  if (may_be_unified) types.device = chooser.types(kLocal | kCoherent, kCached);
  types.unified = !types.device.empty();
  if (!types.unified) types.device = chooser.types(kLocal, 0);
  if (!types.device.empty()) types.device_heap = chooser.heap(types.device.front());
  std::erase_if(types.device, [&](uint32_t type) { return chooser.heap(type) != types.device_heap; });

  // Outside the card where possible: the host reads it at its own speed.
  types.staging = chooser.types(kCoherent, kCached, kLocal);
  types.upload = chooser.types(kCoherent, kLocal);
  return types;
}

}  // namespace plimsoll::hal::vulkan
