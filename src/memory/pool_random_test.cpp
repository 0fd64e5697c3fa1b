// Long random sequences: the books balance after every step, and timing changes nothing but waits.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "memory/fake_board.h"
#include "memory/fault_source.h"
#include "memory/pool.h"
#include "memory/virtual_source.h"

namespace plimsoll::memory {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kMiB = size_t{1} << 20;
constexpr uint32_t kStreams = 3;

// One step, drawn once and played on several pools.
struct Step {
  enum class Kind { kAcquire, kRelease, kClearCache, kMemoryLimit, kCacheLimit, kMap, kUnmap } kind;
  std::vector<size_t> sizes;
  size_t value = 0;
  uint32_t stream = 0;
};

size_t random_size(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
    case 2:
      return 1 + random() % 64;
    case 3:
      return 1 + random() % (kPage - 1);
    case 4:
      return kPage * (1 + random() % 4);
    default:
      return 1 + random() % (40 * kPage);
  }
}

Step random_step(std::mt19937_64& random) {
  Step step{Step::Kind::kRelease, {}, random(), static_cast<uint32_t>(random() % kStreams)};
  const uint64_t kind = random() % 1000;
  if (kind < 480) {
    step.kind = Step::Kind::kAcquire;
    for (uint64_t count = 1 + random() % 4; count > 0; --count) step.sizes.push_back(random_size(random));
  } else if (kind < 485) {
    step.kind = Step::Kind::kClearCache;
  } else if (kind < 490) {
    step.kind = Step::Kind::kMemoryLimit;
    step.value = kMiB / 2 + random() % (2 * kMiB);
  } else if (kind < 495) {
    step.kind = Step::Kind::kCacheLimit;
    step.value = random() % kMiB;
  } else if (kind < 505) {
    step.kind = kind % 2 ? Step::Kind::kMap : Step::Kind::kUnmap;
    step.value = kPage * (1 + random() % 16);
  }
  return step;
}

// Plays steps on one pool. The board lags: work finishes when somebody waits for it, and now and then by chance.
class Player {
 public:
  Player(bool lags, uint64_t seed, const FaultPlan& faults = {})
      : plan_(std::make_shared<FaultPlan>(faults)),
        pool_(std::make_unique<FaultSource>(std::make_unique<VirtualSource>(), plan_), {.memory = 2 * kMiB}, board_),
        chance_(seed) {
    if (!lags) board_.finish_everything();
  }

  void play(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kAcquire:
        acquire(step);
        break;
      case Step::Kind::kRelease:
        release(step);
        break;
      case Step::Kind::kClearCache:
        pool_.clear_cache();
        break;
      case Step::Kind::kMemoryLimit:
        pool_.set_memory_limit(step.value);
        break;
      case Step::Kind::kCacheLimit:
        pool_.set_cache_limit(step.value);
        break;
      case Step::Kind::kMap:
        map(step.value);
        break;
      case Step::Kind::kUnmap:
        pool_.discharge_mapped(mapped_);
        mapped_ = 0;
        break;
    }
    if (chance_() % 5 == 0) board_.finish({static_cast<uint32_t>(chance_() % kStreams), ticket_ - chance_() % 40});
  }

  Pool& pool() { return pool_; }
  FaultPlan& plan() { return *plan_; }
  const std::vector<uint64_t>& trace() const { return trace_; }
  size_t waits() const { return waits_; }
  size_t refusals() const { return refusals_; }

  void finish_all() {
    for (Buffer& buffer : live_) pool_.release(buffer, {});
    live_.clear();
    board_.finish_everything();
    pool_.clear_cache();
    pool_.discharge_mapped(mapped_);
  }

 private:
  void acquire(const Step& step) {
    std::vector<Request> requests;
    for (const size_t bytes : step.sizes) requests.push_back({bytes, Tag::kArray, "random"});
    std::vector<Buffer> buffers(requests.size());
    try {
      for (;;) {
        const AcquireResult result = pool_.acquire(requests, step.stream, buffers);
        if (result.acquired) break;
        ASSERT_FALSE(result.wait_for.empty());
        ASSERT_TRUE(pool_.is_valid());
        ++waits_;
        for (const Use& use : result.wait_for) board_.finish(use);
      }
    } catch (const OutOfMemory&) {
      ++refusals_;
      trace_.push_back(1);
      return;
    }
    for (const Buffer& buffer : buffers) {
      trace_.push_back(buffer.address);
      if (buffer.record) live_.push_back(buffer);
    }
  }

  void release(const Step& step) {
    if (live_.empty()) return;
    Buffer& buffer = live_[step.value % live_.size()];
    pool_.release(buffer, {step.stream, ++ticket_});
    buffer = live_.back();
    live_.pop_back();
  }

  void map(size_t bytes) {
    // Mapping waits by itself, so that what it may have to wait for has to be done.
    for (uint32_t stream = 0; stream < kStreams; ++stream) board_.finish({stream, ticket_});
    try {
      pool_.charge_mapped(bytes, "file");
      mapped_ += bytes;
    } catch (const OutOfMemory&) {
      ++refusals_;
    }
  }

  FakeBoard board_;
  std::shared_ptr<FaultPlan> plan_;
  Pool pool_;
  std::mt19937_64 chance_;
  std::vector<Buffer> live_;
  std::vector<uint64_t> trace_;
  uint64_t ticket_ = 100;
  size_t mapped_ = 0;
  size_t waits_ = 0;
  size_t refusals_ = 0;
};

class PoolRandom : public testing::TestWithParam<uint64_t> {};

TEST_P(PoolRandom, TimingChangesNothingButWaits) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937_64 random(GetParam());
  Player prompt(false, 1);
  Player lagging(true, GetParam() + 1);
  for (int i = 0; i < 4000; ++i) {
    const Step step = random_step(random);
    prompt.play(step);
    lagging.play(step);
    ASSERT_TRUE(prompt.pool().is_valid()) << "step " << i;
    ASSERT_TRUE(lagging.pool().is_valid()) << "step " << i;
    const MemoryStats a = prompt.pool().stats();
    const MemoryStats b = lagging.pool().stats();
    ASSERT_EQ(prompt.trace(), lagging.trace()) << "step " << i;
    ASSERT_EQ(a.active, b.active) << "step " << i;
    ASSERT_EQ(a.cache, b.cache) << "step " << i;
    ASSERT_EQ(a.peak, b.peak) << "step " << i;
    ASSERT_EQ(a.peak_cache, b.peak_cache) << "step " << i;
    ASSERT_EQ(a.live_buffers, b.live_buffers) << "step " << i;
  }
  EXPECT_GT(lagging.waits(), 50u);
  EXPECT_GT(lagging.refusals(), 50u);
  EXPECT_EQ(prompt.waits(), 0u);
  lagging.finish_all();
  EXPECT_EQ(lagging.pool().stats().driver_allocations, 0u);
  EXPECT_EQ(lagging.plan().blocks, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PoolRandom, testing::Range<uint64_t>(1, 9));

TEST(PoolFaults, EveryDenialLeavesTheBooksExact) {
  uint64_t calls = UINT64_MAX;
  for (uint64_t nth = 1; nth <= calls; ++nth) {
    SCOPED_TRACE(testing::Message() << "denied from allocation " << nth << ", seed 9");
    std::mt19937_64 random(9);
    Player player(nth % 2 == 0, nth, {.deny_from = nth, .deny_to = nth + 3});
    for (int i = 0; i < 60; ++i) {
      player.play(random_step(random));
      ASSERT_TRUE(player.pool().is_valid()) << "step " << i;
    }
    player.finish_all();
    ASSERT_TRUE(player.pool().is_valid());
    ASSERT_EQ(player.plan().blocks, 0u);
    ASSERT_EQ(player.pool().stats().active, 0u);
    calls = player.plan().calls;
  }
  EXPECT_GT(calls, 10u);
}

}  // namespace
}  // namespace plimsoll::memory
