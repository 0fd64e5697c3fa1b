#include "memory/pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "memory/fake_board.h"
#include "memory/fault_source.h"
#include "memory/system_source.h"

namespace plimsoll::memory {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kMiB = size_t{1} << 20;

struct Fixture {
  explicit Fixture(const Limits& limits = {}, const FaultPlan& faults = {})
      : plan(std::make_shared<FaultPlan>(faults)),
        pool(std::make_unique<FaultSource>(std::make_unique<SystemSource>(), plan), limits, board) {}

  AcquireResult try_acquire(size_t bytes, Buffer& out, uint32_t stream = 0) {
    const Request request{bytes, Tag::kArray, "test"};
    return pool.acquire({&request, 1}, stream, {&out, 1});
  }

  Buffer acquire(size_t bytes, uint32_t stream = 0) {
    Buffer buffer;
    EXPECT_TRUE(try_acquire(bytes, buffer, stream).acquired);
    EXPECT_TRUE(pool.is_valid());
    return buffer;
  }

  void release(Buffer& buffer, Use use = {}) {
    pool.release(buffer, use);
    EXPECT_TRUE(pool.is_valid());
  }

  FakeBoard board;
  std::shared_ptr<FaultPlan> plan;
  Pool pool;
};

std::string refusal_of(Fixture& fixture, size_t bytes) {
  Buffer buffer;
  try {
    fixture.try_acquire(bytes, buffer);
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(buffer.record, nullptr);
    EXPECT_TRUE(fixture.pool.is_valid());
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

TEST(Pool, ChargesWhatABufferTakes) {
  Fixture fixture;
  Buffer scalar = fixture.acquire(4);
  EXPECT_EQ(scalar.bytes, 16u);
  Buffer large = fixture.acquire(kPage + 1);
  EXPECT_EQ(large.bytes, 2 * kPage);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large.host) % kPage, 0u);
  std::memset(large.host, 1, large.bytes);
  EXPECT_EQ(fixture.pool.active(), 16u + 2 * kPage);
  fixture.release(scalar);
  fixture.release(large);
  EXPECT_EQ(fixture.pool.active(), 0u);
  EXPECT_EQ(fixture.pool.stats().peak, 16u + 2 * kPage);
  EXPECT_EQ(fixture.pool.stats().live_buffers, 0u);
}

TEST(Pool, GivesNothingForNothing) {
  Fixture fixture;
  Buffer empty = fixture.acquire(0);
  EXPECT_EQ(empty.record, nullptr);
  EXPECT_EQ(fixture.pool.stats().driver_allocations, 0u);
  fixture.release(empty);
}

TEST(Pool, RefusesBeforeAnyDriverCall) {
  Fixture fixture({.memory = kMiB});
  const std::string message = refusal_of(fixture, 2 * kMiB);
  EXPECT_EQ(fixture.plan->calls, 0u);
  EXPECT_NE(message.find("[test] Out of memory: asked for 2MiB"), std::string::npos) << message;
  EXPECT_NE(message.find("raise --memory-limit (set_memory_limit) by at least 1MiB"), std::string::npos) << message;
}

TEST(Pool, WaitsForWhatItDropped) {
  Fixture fixture({.memory = kMiB});
  Buffer first = fixture.acquire(kMiB, 0);
  fixture.release(first, {0, 7});
  Buffer second;
  const AcquireResult wait = fixture.try_acquire(kMiB / 2, second);
  EXPECT_FALSE(wait.acquired);
  EXPECT_EQ(wait.wait_for, (std::vector<Use>{{0, 7}}));
  EXPECT_EQ(fixture.pool.stats().returning, kMiB);
  fixture.board.finish({0, 7});
  second = fixture.acquire(kMiB / 2);
  EXPECT_EQ(fixture.pool.stats().returning, 0u);
}

TEST(Pool, OrdersReuseAcrossStreams) {
  Fixture fixture;
  Buffer buffer = fixture.acquire(4 * kPage, 1);
  fixture.release(buffer, {1, 5});
  EXPECT_TRUE(fixture.try_acquire(4 * kPage, buffer, 1).order_after.empty());
  fixture.release(buffer, {1, 6});
  EXPECT_EQ(fixture.try_acquire(4 * kPage, buffer, 2).order_after, (std::vector<Use>{{1, 6}}));
  fixture.release(buffer, {2, 1});
  fixture.board.finish({2, 1});
  EXPECT_TRUE(fixture.try_acquire(4 * kPage, buffer, 1).order_after.empty());
}

TEST(Pool, OrdersReuseOfSmallBuffersAcrossStreams) {
  Fixture fixture({.memory = 3 * kSpanBytes});
  std::vector<Buffer> slots;
  for (size_t i = 0; i < 3 * kSpanBytes / 16; ++i) slots.push_back(fixture.acquire(16, 1));
  fixture.release(slots[5], {1, 9});
  fixture.release(slots[6], {1, 8});
  Buffer other;
  EXPECT_EQ(fixture.try_acquire(16, other, 2).order_after, (std::vector<Use>{{1, 9}}));
}

TEST(Pool, PrefersTheSameStreamThenTheSmallerFit) {
  Fixture fixture;
  Buffer a = fixture.acquire(4 * kPage, 1);
  Buffer b = fixture.acquire(5 * kPage, 2);
  const void* const on_first = a.host;
  const void* const on_second = b.host;
  fixture.release(a, {1, 1});
  fixture.release(b, {2, 1});
  Buffer again = fixture.acquire(4 * kPage, 2);
  EXPECT_EQ(again.host, on_second);
  EXPECT_EQ(again.bytes, 5 * kPage);
  EXPECT_EQ(fixture.acquire(4 * kPage, 3).host, on_first);
}

TEST(Pool, AcquiresAllOrNothing) {
  Fixture fixture({.memory = kMiB});
  const std::vector<Request> requests = {
      {100, Tag::kArray, "a"}, {kMiB / 2, Tag::kScratch, "b"}, {kMiB, Tag::kArray, "c"}};
  std::vector<Buffer> out(3);
  EXPECT_THROW(fixture.pool.acquire(requests, 0, out), OutOfMemory);
  EXPECT_EQ(fixture.pool.active(), 0u);
  EXPECT_EQ(fixture.pool.stats().live_buffers, 0u);
  EXPECT_EQ(fixture.plan->calls, 0u);
  EXPECT_TRUE(fixture.pool.is_valid());
  EXPECT_THROW(fixture.pool.acquire(requests, 0, {out.data(), 2}), std::invalid_argument);
}

TEST(Pool, SurvivesRequestsNearTheEndOfTheRange) {
  Fixture fixture;
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - kPage, SIZE_MAX / 2}) refusal_of(fixture, bytes);
  fixture.pool.set_memory_limit(kMiB);
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - kPage, SIZE_MAX / 2}) refusal_of(fixture, bytes);
  const std::vector<Request> requests(3, {SIZE_MAX / 2, Tag::kArray, "huge"});
  std::vector<Buffer> out(3);
  EXPECT_THROW(fixture.pool.acquire(requests, 0, out), OutOfMemory);
}

TEST(Pool, CacheGivesWayBeforeARefusal) {
  Fixture fixture({.memory = kMiB});
  std::vector<Buffer> buffers;
  for (size_t pages = 1; pages <= 16; ++pages) buffers.push_back(fixture.acquire(pages * kPage));
  for (Buffer& buffer : buffers) fixture.release(buffer);
  EXPECT_EQ(fixture.pool.stats().cache, 136 * kPage);
  fixture.acquire(kMiB);
  EXPECT_EQ(fixture.pool.stats().cache, 0u);
}

TEST(Pool, KeepsTheCacheUnderItsLimit) {
  Fixture fixture({.cache = 8 * kPage});
  std::vector<Buffer> buffers;
  for (int i = 0; i < 10; ++i) buffers.push_back(fixture.acquire(2 * kPage));
  const void* const last = buffers.back().host;
  for (Buffer& buffer : buffers) fixture.release(buffer);
  EXPECT_EQ(fixture.pool.stats().cache, 8 * kPage);
  EXPECT_EQ(fixture.pool.stats().peak_cache, 8 * kPage);
  EXPECT_EQ(fixture.acquire(2 * kPage).host, last);
  EXPECT_EQ(fixture.pool.set_cache_limit(0), 8 * kPage);
  EXPECT_EQ(fixture.pool.stats().cache, 0u);
}

TEST(Pool, ClearCacheEmptiesIt) {
  Fixture fixture;
  Buffer small = fixture.acquire(8);
  Buffer large = fixture.acquire(kMiB);
  fixture.release(small, {0, 1});
  fixture.release(large, {0, 2});
  fixture.pool.clear_cache();
  EXPECT_EQ(fixture.pool.stats().cache, 0u);
  EXPECT_GT(fixture.pool.stats().returning, kMiB);
  fixture.board.finish({0, 2});
  fixture.pool.clear_cache();
  EXPECT_EQ(fixture.pool.stats().returning, 0u);
  EXPECT_EQ(fixture.plan->blocks, 0u);
}

TEST(Pool, ALimitBelowWhatIsHeldDropsTheCacheAndRefuses) {
  Fixture fixture({.memory = 4 * kMiB});
  Buffer kept = fixture.acquire(kMiB);
  Buffer freed = fixture.acquire(kMiB);
  fixture.release(freed);
  EXPECT_EQ(fixture.pool.set_memory_limit(kMiB / 2), 4 * kMiB);
  EXPECT_TRUE(fixture.pool.is_valid());
  EXPECT_EQ(fixture.pool.stats().cache, 0u);
  EXPECT_EQ(fixture.plan->bytes, kMiB);
  refusal_of(fixture, 1);
  fixture.release(kept);
  EXPECT_EQ(fixture.pool.stats().cache, 0u);
  fixture.acquire(kPage);
}

TEST(Pool, CountsMappedBytesAgainstTheLimit) {
  Fixture fixture({.memory = kMiB});
  fixture.pool.charge_mapped(kMiB / 2, "model.gguf");
  EXPECT_EQ(fixture.pool.stats().peak, kMiB / 2);
  refusal_of(fixture, kMiB);
  try {
    fixture.pool.charge_mapped(kMiB, "other.gguf");
    ADD_FAILURE() << "not refused";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("[other.gguf]"), std::string::npos);
    EXPECT_EQ(error.requested(), kMiB);
    EXPECT_EQ(error.limit(), kMiB);
  }
  fixture.pool.discharge_mapped(kMiB / 2);
  fixture.acquire(kMiB);
  EXPECT_TRUE(fixture.pool.is_valid());
}

TEST(Pool, TheRefusalCarriesItsArithmetic) {
  Fixture fixture({.memory = 8 * kMiB});
  std::vector<Buffer> buffers(7);
  for (size_t i = 0; i < 7; ++i) {
    const Request request{(i + 1) * 64 * kPage, Tag::kScratch, i == 6 ? "matmul" : "add"};
    ASSERT_TRUE(fixture.pool.acquire({&request, 1}, 0, {&buffers[i], 1}).acquired);
  }
  fixture.release(buffers[0]);
  EXPECT_EQ(
      refusal_of(fixture, 3 * kMiB),
      "[test] Out of memory: asked for 3MiB (3145728 bytes, rounded); the memory limit of 8MiB refuses: it is 1.8MiB "
      "too small.\n"
      "  held: active 6.8MiB, mapped 0B, cache 256KiB; 6 live buffers in 7 driver allocations\n"
      "  largest live: 1.8MiB by matmul (scratch), 1.5MiB by add (scratch), 1.3MiB by add (scratch), 1MiB by add "
      "(scratch), 768KiB by add (scratch)\n"
      "  what would help: raise --memory-limit (set_memory_limit) by at least 1.8MiB, or ask for less: a shorter "
      "context (--kv-cache-tokens), a smaller batch, a smaller model");
}

TEST(Pool, NamesTheCapOnOneAllocation) {
  for (const bool hidden : {false, true}) {
    Fixture fixture({}, {.max_allocation = 128 * kMiB, .hide_caps = hidden});
    const std::string message = refusal_of(fixture, 129 * kMiB);
    EXPECT_EQ(fixture.plan->calls, hidden ? 1u : 0u);
    EXPECT_NE(message.find("cap of"), std::string::npos) << message;
    EXPECT_NE(message.find("for one allocation"), std::string::npos) << message;
    fixture.acquire(128 * kMiB);
  }
}

TEST(Pool, NamesTheCapOnTheNumberOfAllocations) {
  for (const bool hidden : {false, true}) {
    Fixture fixture({}, {.max_allocations = 64, .hide_caps = hidden});
    std::vector<Buffer> buffers;
    for (int i = 0; i < 64; ++i) buffers.push_back(fixture.acquire(kPage));
    const std::string message = refusal_of(fixture, kPage);
    EXPECT_NE(message.find(hidden ? "too many allocations" : "the driver's cap of 64 allocations"), std::string::npos)
        << message;
    fixture.release(buffers[0]);
    fixture.acquire(3 * kPage);
  }
}

TEST(Pool, HoldsTheObjectLimit) {
  Fixture fixture({.objects = 2});
  Buffer a = fixture.acquire(kPage);
  fixture.acquire(2 * kPage);
  EXPECT_NE(refusal_of(fixture, kPage).find("the object limit of 2 driver allocations"), std::string::npos);
  fixture.release(a);
  fixture.acquire(1);
  EXPECT_EQ(fixture.pool.stats().driver_allocations, 2u);
  EXPECT_EQ(fixture.pool.set_object_limit(3), 2u);
  fixture.acquire(kPage);
}

TEST(Pool, WaitsWhereTheObjectLimitIsHeldByWorkInFlight) {
  Fixture fixture({.objects = 1});
  Buffer a = fixture.acquire(kPage);
  fixture.release(a, {4, 2});
  const AcquireResult result = fixture.try_acquire(8 * kPage, a);
  EXPECT_FALSE(result.acquired);
  EXPECT_EQ(result.wait_for, (std::vector<Use>{{4, 2}}));
  fixture.board.finish({4, 2});
  a = fixture.acquire(8 * kPage);
}

TEST(Pool, ADriversRefusalCostsTheCacheFirst) {
  Fixture fixture({}, {.deny_from = 2, .deny_to = 2});
  Buffer a = fixture.acquire(kPage);
  fixture.release(a);
  fixture.acquire(4 * kPage);
  EXPECT_EQ(fixture.plan->calls, 3u);
  EXPECT_EQ(fixture.plan->blocks, 1u);
}

TEST(Pool, ADriversRefusalWaitsForWorkInFlight) {
  Fixture fixture({}, {.deny_from = 2, .deny_to = 2});
  Buffer a = fixture.acquire(kPage);
  fixture.release(a, {0, 1});
  Buffer b;
  EXPECT_EQ(fixture.try_acquire(4 * kPage, b).wait_for, (std::vector<Use>{{0, 1}}));
  fixture.board.finish({0, 1});
  b = fixture.acquire(4 * kPage);
}

TEST(Pool, NamesTheDriverThatRefused) {
  Fixture fixture({}, {.deny_from = 1});
  EXPECT_NE(refusal_of(fixture, kPage).find("; the driver refuses.\n"), std::string::npos);
  fixture.pool.set_memory_limit(kMiB);
  EXPECT_NE(refusal_of(fixture, 1).find("the driver refuses, although the memory limit of 1MiB would allow it"),
            std::string::npos);
  fixture.plan->deny_from = UINT64_MAX;
  fixture.acquire(kPage);
}

TEST(Pool, DeniesTheNthAcquireForTests) {
  Fixture fixture;
  fixture.pool.deny_nth_acquire(2);
  fixture.acquire(0);
  Buffer a = fixture.acquire(8);
  refusal_of(fixture, 8);
  fixture.release(a);
  fixture.acquire(8);
}

TEST(Pool, ResetPeakStartsFromWhatIsHeld) {
  Fixture fixture;
  fixture.acquire(kPage);
  Buffer b = fixture.acquire(kMiB);
  fixture.release(b);
  fixture.pool.reset_peak();
  EXPECT_EQ(fixture.pool.stats().peak, kPage);
  EXPECT_EQ(fixture.pool.stats().peak_cache, kMiB);
}

TEST(Pool, RecordsTheWiredLimit) {
  Fixture fixture;
  EXPECT_EQ(fixture.pool.set_wired_limit(kMiB), 0u);
  EXPECT_EQ(fixture.pool.stats().wired_limit, kMiB);
  EXPECT_EQ(fixture.pool.stats().wired, 0u);
}

TEST(Pool, ThreadsMayAcquireAndReleaseAtOnce) {
  Fixture fixture({.memory = 64 * kMiB});
  std::vector<std::thread> threads;
  for (uint32_t stream = 0; stream < 4; ++stream) {
    threads.emplace_back([&fixture, stream] {
      std::mt19937_64 random(stream);
      std::vector<Buffer> mine;
      for (int i = 0; i < 3000; ++i) {
        const Request request{1 + random() % (random() % 2 ? 256 : 8 * kPage), Tag::kArray, "thread"};
        Buffer buffer;
        if (!fixture.pool.acquire({&request, 1}, stream, {&buffer, 1}).acquired) continue;
        std::memset(buffer.host, static_cast<int>(stream), request.bytes);
        mine.push_back(buffer);
        if (mine.size() > 64) {
          std::swap(mine[random() % mine.size()], mine.back());
          fixture.pool.release(mine.back(), {});
          mine.pop_back();
        }
      }
      for (Buffer& buffer : mine) fixture.pool.release(buffer, {});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(fixture.pool.is_valid());
  EXPECT_EQ(fixture.pool.active(), 0u);
  EXPECT_EQ(fixture.pool.stats().live_buffers, 0u);
}

}  // namespace
}  // namespace plimsoll::memory
