#include "hal/drivers/vulkan/memory_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::hal::vulkan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkDeviceSize kGiB = VkDeviceSize{1} << 30;

struct Type {
  VkMemoryPropertyFlags flags;
  uint32_t heap;
};

VkPhysicalDeviceMemoryProperties memory_of(const std::vector<VkDeviceSize>& heaps, const std::vector<Type>& types) {
  VkPhysicalDeviceMemoryProperties memory{};
  for (const VkDeviceSize size : heaps) memory.memoryHeaps[memory.memoryHeapCount++].size = size;
  for (const Type& type : types) memory.memoryTypes[memory.memoryTypeCount++] = {type.flags, type.heap};
  return memory;
}

TEST(VulkanMemoryTypesTest, ACardWithAWindow) {
  const auto memory =
      memory_of({24 * kGiB, 64 * kGiB, kGiB / 4},
                {{0, 1}, {kLocal, 0}, {kCoherent, 1}, {kCoherent | kCached, 1}, {kLocal | kCoherent, 2}});
  const MemoryTypes types = choose_memory_types(memory, false);
  EXPECT_FALSE(types.unified);
  EXPECT_EQ(types.device_heap, 0U);
  EXPECT_THAT(types.device, ElementsAre(1));
  EXPECT_THAT(types.staging, ElementsAre(3, 2, 4));
  EXPECT_EQ(types.upload.front(), 4U);
}

TEST(VulkanMemoryTypesTest, ACardWhoseWholeMemoryTheHostReaches) {
  const auto memory =
      memory_of({140 * kGiB, 96 * kGiB}, {{kLocal | kCoherent, 0}, {kLocal, 0}, {kCoherent | kCached, 1}});
  const MemoryTypes types = choose_memory_types(memory, false);
  EXPECT_FALSE(types.unified) << "its host reads are slow";
  EXPECT_THAT(types.device, ElementsAre(1, 0)) << "the type without a mapping first";
  EXPECT_THAT(types.staging, ElementsAre(2, 0));
  EXPECT_EQ(types.upload.front(), 0U);
}

TEST(VulkanMemoryTypesTest, SharedMemoryIsUnifiedAndCached) {
  const auto memory = memory_of({16 * kGiB}, {{kLocal, 0}, {kLocal | kCoherent, 0}, {kLocal | kCoherent | kCached, 0}});
  const MemoryTypes types = choose_memory_types(memory, true);
  EXPECT_TRUE(types.unified);
  EXPECT_THAT(types.device, ElementsAre(2, 1));
  EXPECT_EQ(types.staging.front(), 2U);
}

TEST(VulkanMemoryTypesTest, AnIntegratedDeviceWithoutSharedTypesIsNotUnified) {
  const auto memory = memory_of({kGiB, 16 * kGiB}, {{kLocal, 0}, {kCoherent | kCached, 1}});
  const MemoryTypes types = choose_memory_types(memory, true);
  EXPECT_FALSE(types.unified);
  EXPECT_THAT(types.device, ElementsAre(0));
}

TEST(VulkanMemoryTypesTest, TypesForOtherUsesAreLeftAlone) {
  const auto memory = memory_of({8 * kGiB}, {{kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0},
                                             {kLocal | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, 0},
                                             {kLocal | kCoherent | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, 0}});
  const MemoryTypes types = choose_memory_types(memory, true);
  EXPECT_THAT(types.device, IsEmpty());
  EXPECT_THAT(types.staging, IsEmpty());
}

TEST(VulkanMemoryTypesTest, DeviceMemoryStaysInOneHeap) {
  const auto memory = memory_of({24 * kGiB, kGiB / 4}, {{kLocal | kCoherent, 1}, {kLocal, 0}});
  EXPECT_THAT(choose_memory_types(memory, false).device, ElementsAre(1));
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
