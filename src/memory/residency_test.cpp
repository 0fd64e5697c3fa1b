#include "memory/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "hal/drivers/sim/device.h"
#include "memory/device_source.h"
#include "memory/fake_board.h"
#include "memory/pool.h"

namespace plimsoll::memory {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// Every list takes a second.
hal::sim::Machine machine() {
  hal::sim::Machine machine;
  machine.list_seconds = 1;
  machine.info.name = "test";
  machine.info.memory_bytes = size_t{64} << 30;
  machine.info.buffer_alignment = 64 << 10;
  machine.info.unified = true;
  machine.operations_per_second = 1000;
  machine.bytes_per_second = 1000;
  machine.working_set_bytes = 40'000 * kMiB;
  machine.wires = true;
  return machine;
}

// Work of the simulated queue is stream 0.
class QueueBoard final : public UseBoard {
 public:
  explicit QueueBoard(const hal::Queue& queue) : queue_(queue) {}
  bool done(Use use) const noexcept override { return queue_.done(use.ticket); }

 private:
  const hal::Queue& queue_;
};

class ResidencyTest : public testing::Test {
 protected:
  ResidencyTest() { device_.queue().set_clock(hal::sim::Clock::kManual); }
  ~ResidencyTest() override { EXPECT_TRUE(residency_.is_valid()); }

  hal::Buffer add(size_t mebibytes) {
    hal::Buffer buffer;
    EXPECT_EQ(device_.allocate(mebibytes * kMiB, hal::MemoryKind::kDevice, buffer), hal::Status::kOk);
    residency_.add(buffer);
    return buffer;
  }

  // Submits work, which is in flight until finish().
  Use work() {
    lists_.push_back(device_.new_command_list());
    Use use;
    EXPECT_EQ(device_.queue().submit(*lists_.back(), 0, use.ticket), hal::Status::kOk);
    return use;
  }
  void finish(Use use) { device_.queue().finish(use.ticket); }

  size_t wired_mebibytes() {
    EXPECT_EQ(residency_.wired(), device_.wired()) << "the device knows as much";
    return residency_.wired() / kMiB;
  }

  std::vector<size_t> sets() {
    std::vector<size_t> sets = residency_.sets();
    for (size_t& bytes : sets) bytes /= kMiB;
    return sets;
  }

  hal::sim::Device device_{machine()};
  const QueueBoard board_{device_.queue()};
  Residency residency_{device_, board_};
  std::vector<std::unique_ptr<hal::CommandList>> lists_;
};

TEST_F(ResidencyTest, WiresNothingByDefault) {
  add(1);
  residency_.settle();
  EXPECT_EQ(residency_.limit(), 0u);
  EXPECT_EQ(wired_mebibytes(), 0u);
  EXPECT_TRUE(residency_.can_wire());
}

TEST_F(ResidencyTest, WiresWhatWaitsWhenTheLimitRises) {
  add(10);
  add(20);
  add(30);
  EXPECT_EQ(residency_.set_limit(35 * kMiB), 0u);
  EXPECT_EQ(wired_mebibytes(), 30u) << "the third does not fit";
  EXPECT_EQ(residency_.set_limit(60 * kMiB), 35 * kMiB);
  EXPECT_EQ(wired_mebibytes(), 60u);
}

TEST_F(ResidencyTest, WiresNewBuffersUpToTheLimit) {
  residency_.set_limit(25 * kMiB);
  add(20);
  EXPECT_EQ(wired_mebibytes(), 0u) << "not before it settles";
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 20u);
  add(10);
  add(5);
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 25u) << "a smaller one fills the rest";
}

TEST_F(ResidencyTest, UnwiresTheLatestWhenTheLimitFalls) {
  const hal::Buffer first = add(10);
  add(20);
  add(30);
  residency_.set_limit(100 * kMiB);
  residency_.set_limit(40 * kMiB);
  EXPECT_EQ(wired_mebibytes(), 30u);
  residency_.set_limit(0);
  EXPECT_EQ(wired_mebibytes(), 0u);
  residency_.set_limit(10 * kMiB);
  EXPECT_EQ(wired_mebibytes(), 10u);
  residency_.remove(first.address);
  EXPECT_EQ(wired_mebibytes(), 0u);
}

TEST_F(ResidencyTest, GivesRoomToThoseThatWait) {
  const hal::Buffer first = add(40);
  add(30);
  residency_.set_limit(40 * kMiB);
  EXPECT_EQ(wired_mebibytes(), 40u);
  residency_.remove(first.address);
  device_.release(first);
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 30u);
}

// A set holds a twentieth of 40,000 MiB.
TEST_F(ResidencyTest, FillsSetsOfATwentiethOfTheWorkingSet) {
  EXPECT_EQ(residency_.set_bytes(), 2000 * kMiB);
  for (int i = 0; i < 5; ++i) add(900);
  residency_.set_limit(SIZE_MAX);
  EXPECT_EQ(sets(), (std::vector<size_t>{1800, 1800, 900}));
  add(200);
  add(3000);
  residency_.settle();
  EXPECT_EQ(sets(), (std::vector<size_t>{2000, 1800, 900, 3000})) << "a large one has a set of its own";
}

TEST_F(ResidencyTest, GrowsTheEmptiestOfThirtyTwo) {
  for (size_t i = 0; i < 32; ++i) add(1001 + i % 7);
  residency_.set_limit(SIZE_MAX);
  ASSERT_EQ(sets().size(), 32u);
  add(1500);
  residency_.settle();
  std::vector<size_t> expected(32);
  for (size_t i = 0; i < 32; ++i) expected[i] = 1001 + i % 7;
  expected[0] += 1500;
  EXPECT_EQ(sets(), expected);
  add(1500);
  residency_.settle();
  expected[7] += 1500;
  EXPECT_EQ(sets(), expected);
}

TEST_F(ResidencyTest, KeepsSetsOfAtLeast64MiB) {
  hal::sim::Machine small = machine();
  small.working_set_bytes = 512 * kMiB;
  hal::sim::Device device(small);
  EXPECT_EQ(Residency(device, board_).set_bytes(), 64 * kMiB);
}

TEST_F(ResidencyTest, LeavesASetAloneWhileItsWorkIsInFlight) {
  const hal::Buffer first = add(1500);
  add(400);
  residency_.set_limit(SIZE_MAX);
  ASSERT_EQ(sets(), (std::vector<size_t>{1900}));
  const Use use = work();
  residency_.touch(first.address, use);
  add(50);
  residency_.settle();
  EXPECT_EQ(sets(), (std::vector<size_t>{1900, 50})) << "a set at rest takes it";
  residency_.set_limit(1500 * kMiB);
  EXPECT_EQ(sets(), (std::vector<size_t>{1900, 0}));
  EXPECT_TRUE(residency_.held(first.address));
  std::vector<Use> holders;
  residency_.add_holders(first.address, holders);
  EXPECT_EQ(holders, std::vector<Use>{use});
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 1900u);
  finish(use);
  EXPECT_FALSE(residency_.held(first.address));
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 1500u);
}

TEST_F(ResidencyTest, LeavesEverySetAloneWhileUnknownWorkIsInFlight) {
  const hal::Buffer buffer = add(100);
  residency_.set_limit(SIZE_MAX);
  const Use first = work(), second = work();
  residency_.touch_all(first);
  residency_.touch_all(second);
  const hal::Buffer late = add(100);
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 100u);
  EXPECT_TRUE(residency_.held(buffer.address));
  EXPECT_FALSE(residency_.held(late.address)) << "it is in no set";
  finish(first);
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 100u);
  finish(second);
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 200u);
}

TEST_F(ResidencyTest, WiresABufferWhenItsOwnWorkIsDone) {
  const hal::Buffer buffer = add(100);
  const Use use = work();
  residency_.touch(buffer.address, use);
  residency_.set_limit(SIZE_MAX);
  EXPECT_EQ(wired_mebibytes(), 0u);
  finish(use);
  residency_.settle();
  EXPECT_EQ(wired_mebibytes(), 100u);
}

TEST_F(ResidencyTest, AsksAgainWhatTheDeviceRefusedWhenTheLimitChanges) {
  add(39'000);
  add(2'000);
  residency_.set_limit(SIZE_MAX);
  EXPECT_EQ(wired_mebibytes(), 39'000u) << "the device wires no more than its working set";
  residency_.set_limit(2'000 * kMiB);
  EXPECT_EQ(wired_mebibytes(), 2'000u);
}

TEST_F(ResidencyTest, DoesNothingOnADeviceThatCannotWire) {
  hal::sim::Machine plain = machine();
  plain.wires = false;
  hal::sim::Device device(plain);
  Residency residency(device, board_);
  hal::Buffer buffer;
  ASSERT_EQ(device.allocate(kMiB, hal::MemoryKind::kDevice, buffer), hal::Status::kOk);
  EXPECT_FALSE(residency.can_wire());
  residency.add(buffer);
  residency.set_limit(SIZE_MAX);
  residency.touch_all({0, 1});
  EXPECT_EQ(residency.wired(), 0u);
  EXPECT_FALSE(residency.held(buffer.address));
  residency.remove(buffer.address);
}

// Whatever happens in whatever order, sets with work in flight keep their members, and the limit holds once all rest.
TEST_F(ResidencyTest, HoldsItsRulesOverRandomHistories) {
  constexpr uint32_t kSeed = 20261201;
  std::mt19937 random(kSeed);
  std::vector<hal::Buffer> buffers;
  std::vector<Use> in_flight;
  for (int step = 0; step < 3000; ++step) {
    const size_t held_before = static_cast<size_t>(std::count_if(
        buffers.begin(), buffers.end(), [&](const hal::Buffer& buffer) { return residency_.held(buffer.address); }));
    size_t finished = 0;
    switch (random() % 6) {
      case 0:
        buffers.push_back(add(1 + random() % 1200));
        break;
      case 1:
        residency_.set_limit(random() % 20'000 * kMiB);
        break;
      case 2:
        if (buffers.empty()) break;
        in_flight.push_back(work());
        residency_.touch(buffers[random() % buffers.size()].address, in_flight.back());
        break;
      case 3:
        if (in_flight.empty()) break;
        finish(in_flight.back());
        finished = in_flight.size();
        in_flight.clear();
        break;
      case 4: {
        if (buffers.empty()) break;
        const size_t i = random() % buffers.size();
        if (residency_.held(buffers[i].address)) break;
        residency_.remove(buffers[i].address);
        device_.release(buffers[i]);
        buffers.erase(buffers.begin() + static_cast<ptrdiff_t>(i));
        break;
      }
      default:
        residency_.settle();
    }
    ASSERT_TRUE(residency_.is_valid()) << "step " << step << ", seed " << kSeed;
    ASSERT_EQ(residency_.wired(), device_.wired()) << "step " << step << ", seed " << kSeed;
    if (finished != 0) continue;
    const size_t held_after = static_cast<size_t>(std::count_if(
        buffers.begin(), buffers.end(), [&](const hal::Buffer& buffer) { return residency_.held(buffer.address); }));
    ASSERT_GE(held_after, held_before) << "a set lost a member, step " << step << ", seed " << kSeed;
  }
  if (!in_flight.empty()) finish(in_flight.back());
  residency_.settle();
  EXPECT_LE(residency_.wired(), residency_.limit());
}

TEST_F(ResidencyTest, WiresThePoolsBlocksAndKeepsThemUntilTheirSetRests) {
  const auto residency = std::make_shared<Residency>(device_, board_);
  Pool pool(std::make_unique<DeviceSource>(device_, hal::MemoryKind::kDevice, residency), Limits{}, board_);
  EXPECT_TRUE(pool.can_wire());
  EXPECT_EQ(pool.set_wired_limit(100 * kMiB), 0u);
  const Request request{8 * kMiB, Tag::kArray, "test"};
  Buffer kept, dropped;
  ASSERT_TRUE(pool.acquire(std::span(&request, 1), 0, std::span(&kept, 1)).acquired);
  ASSERT_TRUE(pool.acquire(std::span(&request, 1), 0, std::span(&dropped, 1)).acquired);
  residency->settle();
  EXPECT_EQ(pool.stats().wired, 16 * kMiB);
  EXPECT_EQ(pool.stats().wired_limit, 100 * kMiB);

  const Use use = work();
  residency->touch(kept.address, use);
  pool.release(dropped, {});
  pool.clear_cache();
  EXPECT_EQ(device_.memory_budget().used, 16 * kMiB) << "its set has work in flight";
  pool.set_memory_limit(20 * kMiB);
  Buffer next;
  const AcquireResult refused = pool.acquire(std::span(&request, 1), 0, std::span(&next, 1));
  ASSERT_FALSE(refused.acquired);
  EXPECT_EQ(refused.wait_for, std::vector<Use>{use});

  finish(use);
  ASSERT_TRUE(pool.acquire(std::span(&request, 1), 0, std::span(&next, 1)).acquired);
  EXPECT_EQ(device_.memory_budget().used, 16 * kMiB);
  EXPECT_EQ(pool.stats().wired, 8 * kMiB);
  pool.release(kept, {});
  pool.release(next, {});
  EXPECT_TRUE(pool.is_valid());
}

}  // namespace
}  // namespace plimsoll::memory
