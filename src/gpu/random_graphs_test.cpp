// Whatever is recorded, the encoder orders every conflict and nothing else: random programs behind the hazard checker.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>

#include "base/env.h"
#include "gpu/random_program.h"

namespace plimsoll::gpu {
namespace {

constexpr int kOperations = 120;

uint64_t programs() { return base::env_bool("PLIMSOLL_TEST_ALL").value_or(false) ? 10'000 : 400; }

TEST(RandomGraphs, MissNoOrderAndHaveNoneThatIsNeedless) {
  hal::check::Counts all;
  uint64_t cuts = 0;
  for (uint64_t seed = 1; seed <= programs(); ++seed) {
    CheckedEncoder target;
    RandomProgram(seed).run(target, kOperations);
    const hal::check::Counts counts = target.counts();
    ASSERT_EQ(counts.findings, 0u) << "seed " << seed << ": " << describe(target.findings()[0]);
    ASSERT_EQ(counts.needless_waits, 0u) << "seed " << seed;
    all.commands += counts.commands;
    all.barriers += counts.barriers - counts.lists;  // without the canaries'
    all.waits += counts.waits;
    cuts += target.cuts();
  }
  std::printf("seeds 1 to %lu: %lu commands, %lu barriers, %lu waits, %lu cut dispatches\n",
              static_cast<unsigned long>(programs()), static_cast<unsigned long>(all.commands),
              static_cast<unsigned long>(all.barriers), static_cast<unsigned long>(all.waits),
              static_cast<unsigned long>(cuts));
  EXPECT_GT(all.barriers, programs());
  EXPECT_GT(all.waits, programs());
  EXPECT_GT(cuts, programs() / 4);
}

}  // namespace
}  // namespace plimsoll::gpu
