#include "memory/limits.h"

#include <gtest/gtest.h>

#include "memory/system_probe.h"

namespace plimsoll::memory {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kGiB = size_t{1} << 30;

FakeProbe machine(size_t ram, std::optional<size_t> available = {}, std::optional<size_t> group = {}) {
  FakeProbe probe;
  probe.ram_bytes = ram;
  probe.available_bytes = available;
  probe.group_limit_bytes = group;
  return probe;
}

TEST(Limits, StaticCeilingByRam) {
  EXPECT_EQ(static_ceiling(4 * kGiB), 2 * kGiB);
  EXPECT_EQ(static_ceiling(8 * kGiB), 4 * kGiB);
  EXPECT_EQ(static_ceiling(16 * kGiB), 12 * kGiB);
  EXPECT_EQ(static_ceiling(32 * kGiB), 28 * kGiB);
  EXPECT_EQ(static_ceiling(52 * kGiB), 47 * kGiB);
}

TEST(Limits, DefaultIsTheLeastOfThree) {
  EXPECT_EQ(default_memory_limit(machine(16 * kGiB)), 12 * kGiB);
  EXPECT_EQ(default_memory_limit(machine(16 * kGiB, 15 * kGiB)), 12 * kGiB);
  EXPECT_EQ(default_memory_limit(machine(16 * kGiB, 9 * kGiB)), 7 * kGiB);
  EXPECT_EQ(default_memory_limit(machine(16 * kGiB, 9 * kGiB, 2 * kGiB)), 2 * kGiB - 256 * kMiB);
  EXPECT_EQ(default_memory_limit(machine(16 * kGiB, 1 * kGiB)), 64 * kMiB);
  EXPECT_EQ(default_memory_limit(machine(16 * kGiB, {}, 10 * kMiB)), 64 * kMiB);
}

TEST(Limits, ExplicitLimitIsTakenAsGiven) {
  const FakeProbe probe = machine(16 * kGiB, 9 * kGiB);
  EXPECT_EQ(choose_limits(probe, std::nullopt).limits.memory, 7 * kGiB);
  EXPECT_TRUE(choose_limits(probe, std::nullopt).warning.empty());
  EXPECT_EQ(choose_limits(probe, 1 * kMiB).limits.memory, kMiB);
  EXPECT_TRUE(choose_limits(probe, 1 * kMiB).warning.empty());
  const ChosenLimits above = choose_limits(probe, 8 * kGiB);
  EXPECT_EQ(above.limits.memory, 8 * kGiB);
  EXPECT_EQ(
      above.warning,
      "the memory limit of 8GiB is above 7GiB, which is what this machine can give now: the system may swap or end "
      "the process before the limit refuses");
}

}  // namespace
}  // namespace plimsoll::memory
