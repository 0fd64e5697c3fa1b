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

// The last of 26 workgroups is too short to be charged for its kernel's slowness, and so fits where all did not.
TEST(CutDispatch, HasNoBarrierBetweenItsPieces) {
  CheckedEncoder target;
  const hal::KernelCode code{"add", {}, 0};
  const hal::Access access{
      {target.buffers()[0].address, 64, 64, 1}, hal::AccessKind::kWrite, target.buffers()[0].address};
  const uint32_t parameters[1] = {};
  LaunchPlan plan;
  plan.begin("Add");
  plan.add(target.kernel(code), std::as_bytes(std::span(parameters)), 26, {&access, 1}, {0, 7.85e6});
  target.encoder().record(plan, {});
  target.encoder().commit();
  const hal::check::Counts counts = target.counts();
  EXPECT_EQ(counts.findings, 0u);
  EXPECT_EQ(counts.lists, 1u);
  EXPECT_EQ(counts.commands, 3u) << "two pieces and the canary";
  EXPECT_EQ(counts.barriers, 1u) << "the canary's";
}

}  // namespace
}  // namespace plimsoll::gpu
