// Patterns that made other allocators grow without end, on real memory, judged by the system's own figure.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "memory/fake_board.h"
#include "memory/pool.h"
#include "memory/system_probe.h"
#include "memory/system_source.h"

namespace plimsoll::memory {
namespace {

constexpr size_t kKiB = size_t{1} << 10;
constexpr size_t kMiB = size_t{1} << 20;

// What the pool's own records and the test may add to the footprint.
constexpr size_t kOverhead = 16 * kMiB;

// A sanitizer keeps memory of its own for each byte of ours.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kFootprintIsOurs = false;
#else
constexpr bool kFootprintIsOurs = true;
#endif

class PoolGrowth : public testing::Test {
 protected:
  explicit PoolGrowth(size_t limit = 512 * kMiB)
      : limit_(limit), pool_(std::make_unique<SystemSource>(), {.memory = limit}, board_) {
    board_.finish_everything();
    start_ = probe_->footprint();
  }

  Buffer acquire(size_t bytes) {
    const Request request{bytes, Tag::kArray, "growth"};
    Buffer buffer;
    EXPECT_TRUE(pool_.acquire({&request, 1}, 0, {&buffer, 1}).acquired);
    return buffer;
  }

  // One byte in each page makes it resident.
  Buffer touched(size_t bytes) {
    Buffer buffer = acquire(bytes);
    for (size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(buffer.host)[at] = 1;
    return buffer;
  }

  void expect_bounded() {
    const MemoryStats stats = pool_.stats();
    ASSERT_LE(stats.active + stats.cache + stats.returning, limit_);
    expect_footprint(start_ + limit_ + kOverhead);
  }

  void expect_footprint(size_t most) {
    if (!kFootprintIsOurs) return;
    EXPECT_LE(probe_->footprint(), most);
  }

  size_t limit_;
  FakeBoard board_;
  std::unique_ptr<SystemProbe> probe_ = make_system_probe();
  size_t start_ = 0;
  Pool pool_;
};

class PoolGrowthTight : public PoolGrowth {
 protected:
  PoolGrowthTight() : PoolGrowth(32 * kMiB) {}
};

TEST_F(PoolGrowthTight, EverGrowingSizesStayUnderTheLimit) {
  for (size_t n = 1; n <= 250; n += 3) {
    Buffer buffer = touched(n * 128 * kKiB);
    pool_.release(buffer, {});
    expect_bounded();
  }
  EXPECT_TRUE(pool_.is_valid());
  EXPECT_GE(pool_.stats().peak_cache, pool_.stats().peak);
  pool_.clear_cache();
  EXPECT_EQ(pool_.stats().cache, 0u);
  expect_footprint(start_ + kOverhead);
}

TEST_F(PoolGrowth, TwoThousandGrowingSizesStayUnderTheLimit) {
  for (size_t n = 1; n <= 2000; ++n) {
    Buffer buffer = acquire(n * 128 * kKiB);
    pool_.release(buffer, {});
    const MemoryStats stats = pool_.stats();
    ASSERT_LE(stats.active + stats.cache + stats.returning, limit_);
  }
  EXPECT_TRUE(pool_.is_valid());
  EXPECT_EQ(pool_.stats().peak, 2000 * 128 * kKiB);
}

TEST_F(PoolGrowthTight, RaggedSizesStayUnderTheLimit) {
  std::mt19937_64 random(19);
  std::vector<Buffer> live;
  for (int i = 0; i < 1000; ++i) {
    live.push_back(touched(1 + random() % kMiB));
    if (live.size() > 8) {
      pool_.release(live[random() % 8], {});
      std::erase_if(live, [](const Buffer& buffer) { return !buffer.record; });
    }
    if (i % 50 == 0) expect_bounded();
  }
  for (Buffer& buffer : live) pool_.release(buffer, {});
  EXPECT_TRUE(pool_.is_valid());
}

TEST_F(PoolGrowth, MillionsOfScalarsShareFewBlocks) {
  constexpr size_t kScalars = 2'000'000;
  std::vector<Buffer> scalars;
  scalars.reserve(kScalars);
  const size_t handles = probe_->footprint() + kScalars * sizeof(Buffer);
  for (size_t i = 0; i < kScalars; ++i) {
    scalars.push_back(acquire(4));
    std::memcpy(scalars.back().host, &i, 4);
  }
  const MemoryStats stats = pool_.stats();
  EXPECT_EQ(stats.active, kScalars * 16);
  EXPECT_EQ(stats.live_buffers, kScalars);
  EXPECT_LT(stats.driver_allocations, 64u);
  expect_footprint(handles + kScalars * 16 + 4 * kMiB);
  for (size_t i = 0; i < kScalars; i += 997) {
    uint32_t value = 0;
    std::memcpy(&value, scalars[i].host, 4);
    ASSERT_EQ(value, i);
  }
  for (Buffer& buffer : scalars) pool_.release(buffer, {});
  EXPECT_TRUE(pool_.is_valid());
  EXPECT_EQ(pool_.active(), 0u);
  pool_.clear_cache();
  EXPECT_EQ(pool_.stats().driver_allocations, 0u);
}

TEST_F(PoolGrowth, StepsThatMakeAndDropSmallArraysAskTheDriverOnce) {
  std::vector<Buffer> step(20);
  size_t blocks = 0;
  for (int i = 0; i < 50'000; ++i) {
    for (size_t k = 0; k < step.size(); ++k) step[k] = acquire(4 + 24 * k);
    for (Buffer& buffer : step) pool_.release(buffer, {});
    if (i == 16) blocks = pool_.stats().driver_allocations;
  }
  EXPECT_EQ(pool_.stats().driver_allocations, blocks);
  EXPECT_EQ(pool_.stats().live_buffers, 0u);
}

}  // namespace
}  // namespace plimsoll::memory
