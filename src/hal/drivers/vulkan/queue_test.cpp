#include <atomic>
#include <chrono>
#include <thread>

#include "hal/drivers/vulkan/test_device.h"

namespace plimsoll::hal::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLong = std::chrono::seconds(60);

class VulkanQueueTest : public VulkanTest {
 protected:
  // Fills that one after the other take a while: a quarter of a second or so on a processor.
  std::unique_ptr<hal::CommandList> slow_list() {
    if (slow_.bytes == 0) slow_ = allocate(size_t{32} << 20, MemoryKind::kDevice);
    auto list = device_->new_command_list();
    for (uint32_t i = 0; i < 64; ++i) {
      list->fill(whole(slow_, AccessKind::kWrite), i);
      list->barrier();
    }
    return list;
  }

  std::unique_ptr<hal::CommandList> copy_list(const Buffer& from, const Buffer& to) {
    auto list = device_->new_command_list();
    list->copy(whole(from, AccessKind::kRead), whole(to, AccessKind::kWrite));
    return list;
  }

  Status wait(Ticket ticket) { return device_->queue().wait(ticket, Clock::now() + kLong); }

  Buffer slow_;
};

TEST_F(VulkanQueueTest, TicketsCountFromOneAndEndInOrder) {
  hal::Queue& queue = device_->queue();
  EXPECT_EQ(queue.completed(), 0U);
  EXPECT_TRUE(queue.done(0));
  std::vector<std::unique_ptr<hal::CommandList>> lists;
  for (Ticket expected = 1; expected <= 5; ++expected) {
    lists.push_back(device_->new_command_list());
    Ticket ticket = 0;
    ASSERT_EQ(queue.submit(*lists.back(), 0, ticket), Status::kOk);
    EXPECT_EQ(ticket, expected);
  }
  ASSERT_EQ(wait(3), Status::kOk);
  EXPECT_GE(queue.completed(), 3U);
  ASSERT_EQ(wait(5), Status::kOk);
  EXPECT_EQ(queue.completed(), 5U);
}

TEST_F(VulkanQueueTest, AWaitEndsAtItsDeadline) {
  const auto list = slow_list();
  Ticket ticket = 0;
  ASSERT_EQ(device_->queue().submit(*list, 0, ticket), Status::kOk);
  EXPECT_EQ(device_->queue().wait(ticket, Clock::now() - kLong), Status::kTimedOut);
  EXPECT_EQ(device_->queue().wait(ticket, Clock::now() + std::chrono::microseconds(50)), Status::kTimedOut);
  EXPECT_FALSE(device_->queue().done(ticket));
  EXPECT_EQ(device_->queue().wait(ticket, Clock::time_point::max()), Status::kOk);
  // What is done is done, whatever the deadline.
  EXPECT_EQ(device_->queue().wait(ticket, Clock::now() - kLong), Status::kOk);
}

TEST_F(VulkanQueueTest, WorkBehindTheLatestTicketSeesItsWrites) {
  const Buffer source = allocate(4), target = allocate(4);
  *as<uint32_t>(source) = 1;
  const auto slow = slow_list();
  slow->copy(whole(source, AccessKind::kRead), whole(target, AccessKind::kWrite));
  const Buffer back = allocate(4);
  const auto after = copy_list(target, back);
  Ticket first = 0, second = 0;
  ASSERT_EQ(device_->queue().submit(*slow, 0, first), Status::kOk);
  ASSERT_EQ(device_->queue().submit(*after, first, second), Status::kOk);
  ASSERT_EQ(wait(second), Status::kOk);
  EXPECT_EQ(*as<uint32_t>(back), 1U);
}

TEST_F(VulkanQueueTest, WorkBehindAnOlderTicketSeesItsWrites) {
  const Buffer source = allocate(4), target = allocate(4), back = allocate(4);
  *as<uint32_t>(source) = 5;
  const auto first = copy_list(source, target);
  const auto between = slow_list();
  const auto after = copy_list(target, back);
  Ticket first_ticket = 0, between_ticket = 0, after_ticket = 0;
  ASSERT_EQ(device_->queue().submit(*first, 0, first_ticket), Status::kOk);
  ASSERT_EQ(device_->queue().submit(*between, 0, between_ticket), Status::kOk);
  ASSERT_EQ(device_->queue().submit(*after, first_ticket, after_ticket), Status::kOk);
  ASSERT_EQ(wait(after_ticket), Status::kOk);
  EXPECT_EQ(*as<uint32_t>(back), 5U);
}

TEST_F(VulkanQueueTest, AListIsRecordedAndSubmittedManyTimes) {
  const Buffer target = allocate(4096);
  const auto list = device_->new_command_list();
  for (uint32_t round = 0; round < 20; ++round) {
    if (round > 0) list->reset();
    list->fill(whole(target, AccessKind::kWrite), round);
    ASSERT_EQ(run(*list), Status::kOk);
    ASSERT_EQ(as<uint32_t>(target)[1023], round);
  }
}

TEST_F(VulkanQueueTest, ThreadsSubmitAndWaitTogether) {
  constexpr int kThreads = 4, kRounds = 25;
  std::vector<Buffer> targets;
  for (int i = 0; i < kThreads; ++i) targets.push_back(allocate(4096));
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto list = device_->new_command_list();
      for (int round = 0; round < kRounds; ++round) {
        if (round > 0) list->reset();
        const auto pattern = static_cast<uint32_t>(i * 1000 + round);
        list->fill(whole(targets[i], AccessKind::kWrite), pattern);
        Ticket ticket = 0;
        if (device_->queue().submit(*list, 0, ticket) != Status::kOk || wait(ticket) != Status::kOk) return;
        if (as<uint32_t>(targets[i])[7] == pattern) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads * kRounds);
  EXPECT_EQ(device_->queue().completed(), Ticket{kThreads * kRounds});
}

}  // namespace
}  // namespace plimsoll::hal::vulkan
