#include "hal/drivers/vulkan/timestamps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::hal::vulkan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(VulkanTimestampsTest, TicksBecomeNanoseconds) {
  EXPECT_THAT(to_nanoseconds({}, 64, 1), IsEmpty());
  EXPECT_THAT(to_nanoseconds({5, 9, UINT64_MAX}, 64, 1), ElementsAre(5, 9, UINT64_MAX));
  EXPECT_THAT(to_nanoseconds({10, 20}, 64, 52.5), ElementsAre(525, 1050));
}

TEST(VulkanTimestampsTest, AClockThatWrapsGoesOn) {
  EXPECT_THAT(to_nanoseconds({0xfffffff0, 0x10, 0x20}, 32, 1), ElementsAre(0xfffffff0, 0x100000010, 0x100000020));
}

TEST(VulkanTimestampsTest, BitsAboveTheClockAreIgnored) {
  EXPECT_THAT(to_nanoseconds({0xab0000000001, 0xcd0000000003}, 32, 2), ElementsAre(2, 6));
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
