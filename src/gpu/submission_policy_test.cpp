#include "gpu/submission_policy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace plimsoll::gpu {
namespace {

// Operations of one dispatch until the policy commits.
uint32_t operations_to_commit(SubmissionPolicy& policy, bool new_buffers = false) {
  for (uint32_t count = 1;; ++count) {
    if (policy.add(1, {}, new_buffers)) return count;
    if (count > 10000) return 0;
  }
}

TEST(GrowingCommandBuffers, DoubleWhileTheDeviceIsBusyAndStartOverWhenIdle) {
  GrowingCommandBuffers policy;
  for (const uint32_t expected : {8u, 16u, 32u, 64u, 128u, 256u, 256u}) {
    EXPECT_EQ(operations_to_commit(policy), expected);
    policy.committed(/*was_idle=*/false);
  }
  policy.committed(/*was_idle=*/true);
  EXPECT_EQ(operations_to_commit(policy), 8u);
}

TEST(GrowingCommandBuffers, CommitAfterFiftyWithNewBuffers) {
  GrowingCommandBuffers policy;
  for (int i = 0; i < 5; ++i) policy.committed(false);
  EXPECT_EQ(operations_to_commit(policy, true), 50u);
  policy.committed(false);
  EXPECT_EQ(operations_to_commit(policy), 256u) << "the new buffers were those of the command buffer before";
}

TEST(GrowingCommandBuffers, CountDispatchesNotOperations) {
  GrowingCommandBuffers policy;
  EXPECT_FALSE(policy.add(7, {}, false));
  EXPECT_TRUE(policy.add(1, {}, false));
}

TEST(MlxPacking, CommitsAtTheFiftyFirstOperation) {
  MlxPacking policy(50, 50);
  EXPECT_EQ(operations_to_commit(policy), 51u);
  policy.committed(true);
  EXPECT_EQ(operations_to_commit(policy), 51u);
}

TEST(MlxPacking, CommitsAtFiftyOneMegaelements) {
  constexpr uint64_t kMega = 1 << 20;
  const TouchedArray fifty_short_of_one{1, 51 * kMega - 1};
  const TouchedArray one{2, 1};
  MlxPacking policy(50, 50);
  EXPECT_FALSE(policy.add(1, {{fifty_short_of_one}}, false)) << "both limits are strict";
  EXPECT_EQ(policy.megaelements(), 50u);
  EXPECT_TRUE(policy.add(1, {{one}}, false));
  EXPECT_EQ(policy.megaelements(), 51u);
}

TEST(MlxPacking, CountsABufferOnceACommandBuffer) {
  constexpr uint64_t kMega = 1 << 20;
  const std::vector<TouchedArray> arrays = {{1, 30 * kMega}, {2, 20 * kMega}, {1, 30 * kMega}};
  MlxPacking policy(50, 50);
  EXPECT_FALSE(policy.add(1, arrays, false));
  EXPECT_FALSE(policy.add(1, arrays, false));
  EXPECT_EQ(policy.megaelements(), 50u);
  policy.committed(true);
  EXPECT_EQ(policy.megaelements(), 0u);
  EXPECT_FALSE(policy.add(1, arrays, false));
  EXPECT_EQ(policy.megaelements(), 50u) << "a commit forgets what was counted";
}

// The flagship attention shape: 32 query heads, 8 key/value heads, 8192 tokens, head dimension 128.
constexpr uint64_t kQueries = uint64_t{32} * 8192 * 128;
constexpr uint64_t kKeys = uint64_t{8} * 8192 * 128;
constexpr uint64_t kRowSums = uint64_t{32} * 8192;

TEST(MlxPacking, TheBackwardKeyRangeOfTheFlagshipCommitsByItself) {
  const std::vector<TouchedArray> arrays = {{1, kQueries}, {2, kQueries}, {3, kKeys}, {4, kKeys},    {5, kKeys},
                                            {6, kKeys},    {7, kKeys},    {8, kKeys}, {9, kRowSums}, {10, kRowSums}};
  uint64_t elements = 0;
  for (const TouchedArray& array : arrays) elements += array.elements;
  ASSERT_EQ(elements, 117'964'800u);
  MlxPacking policy(50, 50);
  EXPECT_TRUE(policy.add(1, arrays, false));
  EXPECT_EQ(policy.megaelements(), 112u);
}

TEST(MlxPacking, ScalarForwardRangesOfTheFlagshipPackSeven) {
  MlxPacking policy(50, 50);
  // Queries, keys and values are shared: 48 units. Each range of 117 rows writes an output of its own.
  const uint64_t range = uint64_t{32} * 117 * 128;
  for (uint64_t dispatch = 1;; ++dispatch) {
    const std::vector<TouchedArray> arrays = {{1, kQueries}, {2, kKeys}, {3, kKeys}, {100 + dispatch, range}};
    if (!policy.add(1, arrays, false)) continue;
    EXPECT_EQ(dispatch, 7u);
    EXPECT_EQ(policy.megaelements(), 51u);
    break;
  }
}

TEST(MlxPacking, LimitsFollowTheArchitecturesLastLetter) {
  const auto operations = [](char letter) { return operations_to_commit(*MlxPacking::for_architecture(letter)); };
  EXPECT_EQ(operations('p'), 21u);
  EXPECT_EQ(operations('g'), 41u);
  EXPECT_EQ(operations('s'), 51u);
  EXPECT_EQ(operations('d'), 51u);
  EXPECT_EQ(operations('x'), 41u);
  constexpr uint64_t kMega = 1 << 20;
  EXPECT_FALSE(MlxPacking::for_architecture('p')->add(1, {{TouchedArray{1, 41 * kMega - 1}}}, false));
  EXPECT_TRUE(MlxPacking::for_architecture('p')->add(1, {{TouchedArray{1, 41 * kMega}}}, false));
}

// Sets a variable for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(PolicyFromEnvironment, ChoosesAndRefuses) {
  EXPECT_EQ(operations_to_commit(*make_policy_from_environment()), 8u);
  {
    const Variable policy("PLIMSOLL_SUBMISSION", "mlx");
    EXPECT_EQ(operations_to_commit(*make_policy_from_environment()), 51u);
    const Variable operations("PLIMSOLL_MAX_OPS_PER_BUFFER", "3");
    EXPECT_EQ(operations_to_commit(*make_policy_from_environment()), 4u);
    const Variable elements("PLIMSOLL_MAX_MEGAELEMENTS_PER_BUFFER", "1");
    EXPECT_TRUE(make_policy_from_environment()->add(1, {{TouchedArray{1, 2 << 20}}}, false));
  }
  const Variable policy("PLIMSOLL_SUBMISSION", "fast");
  try {
    make_policy_from_environment();
    FAIL() << "accepted an unknown policy";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "[submission] PLIMSOLL_SUBMISSION is fast; it can be growing or mlx");
  }
}

}  // namespace
}  // namespace plimsoll::gpu
