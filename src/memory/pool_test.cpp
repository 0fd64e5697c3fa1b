#include "memory/pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
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
  for (const size_t bytes : {size_t{100}, 4 * kPage}) {
    Buffer buffer = fixture.acquire(bytes, 1);
    fixture.release(buffer, {1, 5});
    const AcquireResult same = fixture.try_acquire(bytes, buffer, 1);
    EXPECT_TRUE(same.order_after.empty());
    fixture.release(buffer, {1, 6});
  }
  Buffer other;
  const AcquireResult result = fixture.try_acquire(4 * kPage, other, 2);
  EXPECT_EQ(result.order_after, (std::vector<Use>{{1, 6}}));
}

}  // namespace
}  // namespace plimsoll::memory
