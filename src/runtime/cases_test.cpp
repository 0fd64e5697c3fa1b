// Cases that broke other runtimes: giant requests, growing sizes, millions of tiny arrays, very long chains, threads
// that share a graph.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "plimsoll/memory.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "base/env.h"
#include "runtime/pool_guard.h"

namespace plimsoll::runtime {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// Sanitizers take tens of times as long for a step, and find what they find in far fewer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kLongChain = 100'000;
#else
constexpr int kLongChain = 1'000'000;
#endif

TEST(GiantRequest, IsRefusedWithItsArithmetic) {
  PoolGuard guard({.memory = 256 * kMiB});
  const size_t footprint = memory_stats().footprint;
  array view = broadcast_to(array(1.0f), {1 << 10, 1 << 20});
  view.eval();  // no bytes
  try {
    contiguous(view).eval();
    FAIL() << "4 GiB were allocated under a limit of 256 MiB";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.limit(), 256 * kMiB);
    EXPECT_GE(error.requested(), size_t{4} << 30);
    EXPECT_NE(std::string(error.what()).find("4GiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("256MiB"), std::string::npos) << error.what();
  }
  EXPECT_LT(memory_stats().footprint, footprint + 16 * kMiB);
  EXPECT_EQ(sum(ones({10})).item<float>(), 10.0f);
  EXPECT_LE(memory_stats().peak, 256 * kMiB);
}

TEST(GiantRequest, VirtualElementsCostNothing) {
  const array huge = broadcast_to(array(1.0f), {1 << 20, 1 << 20});
  const array reshaped = reshape(huge, {1 << 10, 1 << 30});
  EXPECT_EQ(reshaped.size(), size_t{1} << 40);
  EXPECT_EQ(take(take(reshaped, 7, 0), 5, 0).item<float>(), 1.0f);
}

TEST(GiantRequest, MeetsTheDriversCaps) {
  auto plan = std::make_shared<memory::FaultPlan>();
  plan->max_allocation = 128 * kMiB;
  PoolGuard guard({.memory = 1024 * kMiB}, plan);
  array too_large = full({200, 1 << 18}, 1.0f);  // 200 MiB
  EXPECT_THROW(too_large.eval(), OutOfMemory);
  EXPECT_EQ(sum(ones({1 << 20})).item<float>(), 1048576.0f);
}

TEST(CacheGrowth, EverLargerSizesStayUnderTheLimit) {
  PoolGuard guard({.memory = 64 * kMiB});
  for (int n = 1; n <= 250; ++n) {
    array x = full({n, 1 << 15}, 1.0f);  // n x 128 KiB
    x.eval();
    const MemoryStats stats = memory_stats();
    ASSERT_LE(stats.active + stats.cache, 64 * kMiB);
  }
  clear_cache();
  EXPECT_EQ(get_cache_memory(), 0u);
}

TEST(CacheGrowth, RowsAppendedInPlaceCopyNothing) {
  PoolGuard guard({.memory = 64 * kMiB});
  array cache = zeros({1, 4096, 64});
  cache.eval();
  const size_t allocations = memory_stats().driver_allocations;
  for (int row = 0; row < 4096; ++row) {
    cache = slice_update(cache, ones({1, 1, 64}), {0, row, 0}, {1, row + 1, 64});
    cache.eval();
  }
  EXPECT_EQ(sum(cache).item<float>(), 4096.0f * 64.0f);
  EXPECT_LE(memory_stats().driver_allocations, allocations + 2);
}

TEST(TinyArrays, TwoMillionScalarsNeedFewAllocations) {
  PoolGuard guard({.memory = 4096 * kMiB});
  const int count = base::env_bool("PLIMSOLL_TEST_ALL").value_or(false) ? 2'000'000 : 200'000;
  std::vector<array> scalars;
  scalars.reserve(count);
  for (int i = 0; i < count; ++i) scalars.emplace_back(static_cast<float>(i));
  EXPECT_LT(memory_stats().driver_allocations, 4096u);
  EXPECT_EQ(memory_stats().live_buffers, static_cast<size_t>(count));
  EXPECT_EQ(scalars[count - 1].item<float>(), static_cast<float>(count - 1));
}

TEST(TinyArrays, StepsThatMakeAndDropThemStayFlat) {
  PoolGuard guard({.memory = 256 * kMiB});
  const auto step = [](int i) {
    array x(static_cast<float>(i));
    for (int k = 0; k < 19; ++k) x = x + 1.0f;
    return x.item<float>();
  };
  for (int i = 0; i < 200; ++i) step(i);
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(step(i), static_cast<float>(i + 19));
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_buffers, before.live_buffers);
  EXPECT_EQ(after.active, before.active);
  EXPECT_EQ(after.driver_allocations, before.driver_allocations);
}

TEST(LongChain, AMillionStepsEvaluateAndDie) {
  const size_t before = memory_stats().active;
  const size_t nodes = memory_stats().graph_nodes;
  {
    array x(0.0f);
    for (int i = 0; i < kLongChain; ++i) x = x + 1.0f;
    EXPECT_EQ(x.item<float>(), static_cast<float>(kLongChain));
    array dropped(0.0f);
    for (int i = 0; i < kLongChain; ++i) dropped = dropped + 1.0f;
  }
  EXPECT_EQ(memory_stats().active, before);
  EXPECT_EQ(memory_stats().graph_nodes, nodes);
}

TEST(LongChain, DifferentiatesWithoutRecursion) {
  const std::function<array(const array&)> chain = [](const array& x) {
    array y = x;
    for (int i = 0; i < 100'000; ++i) y = y + 1.0f;
    return y;
  };
  EXPECT_EQ(grad(chain)(array(1.0f)).item<float>(), 1.0f);
}

// Graphs of one level build on shared arrays of the level before, whichever thread evaluates them first.
class SharedGraph {
 public:
  explicit SharedGraph(int64_t elements) {
    array x = full({static_cast<int>(elements)}, 1.0f);
    for (int i = 0; i < 16; ++i) {
      x = x + 1.0f;
      levels_.push_back(x);
    }
  }

  // Level k is 2 + k; the sum of levels a and b.
  array combine(int a, int b) const { return sum(levels_[a] + levels_[b]); }
  float expected(int a, int b, int64_t elements) const { return static_cast<float>((4 + a + b) * elements); }

 private:
  std::vector<array> levels_;
};

std::chrono::milliseconds thread_budget() {
  return std::chrono::milliseconds(base::env_bool("PLIMSOLL_TEST_ALL").value_or(false) ? 10'000 : 1'500);
}

// Returns how often evaluation was refused.
int hammer(int64_t elements, bool refusals_allowed) {
  std::atomic<int> refused{0};
  const auto deadline = std::chrono::steady_clock::now() + thread_budget();
  while (std::chrono::steady_clock::now() < deadline) {
    const SharedGraph graph(elements);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int i = 0; i < 8; ++i) {
          const int a = static_cast<int>(random() % 16);
          const int b = static_cast<int>(random() % 16);
          try {
            EXPECT_EQ(graph.combine(a, b).item<float>(), graph.expected(a, b, elements));
          } catch (const OutOfMemory&) {
            EXPECT_TRUE(refusals_allowed);
            ++refused;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  return refused;
}

TEST(SharedGraphs, EightThreadsGetTheRightValues) {
  const size_t before = memory_stats().active;
  EXPECT_EQ(hammer(1000, false), 0);
  EXPECT_EQ(memory_stats().active, before);
}

TEST(SharedGraphs, UnderALimitSomeAreRefusedAndNoneWaits) {
  PoolGuard guard({.memory = 4 * kMiB});
  hammer(1 << 16, true);  // 16 levels of 256 KiB: about what fits
  EXPECT_EQ(guard.pool().active(), 0u);
  EXPECT_TRUE(guard.pool().is_valid());
}

TEST(Faults, DenialAtEveryAcquireLeavesTheLedgerExact) {
  for (uint64_t n = 1;; ++n) {
    PoolGuard guard({.memory = 256 * kMiB});
    guard.pool().deny_nth_acquire(n);
    bool denied = false;
    try {
      array x = ones({128, 128});
      array y = softmax(matmul(x, x) + 1.0f, -1);
      EXPECT_FLOAT_EQ(sum(y).item<float>(), 128.0f);
    } catch (const OutOfMemory&) {
      denied = true;
    }
    guard.pool().deny_nth_acquire(0);
    EXPECT_EQ(guard.pool().active(), 0u) << "denied at " << n;
    ASSERT_TRUE(guard.pool().is_valid());
    EXPECT_EQ(sum(ones({1000})).item<float>(), 1000.0f);
    if (!denied) break;
    ASSERT_LT(n, 1000u);
  }
}

}  // namespace
}  // namespace plimsoll::runtime
