// Tickets, order between submissions, waits, and lists used again.
#include <algorithm>
#include <atomic>
#include <thread>

#include "plimsoll/errors.h"
#include "hal/conformance/subject.h"

namespace plimsoll::hal::conformance {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

class QueueConformance : public Conformance {
 protected:
  // A list that ends by writing `value` to a word.
  std::unique_ptr<CommandList> writer(const Buffer& buffer, size_t index, uint32_t value) {
    auto list = device_->new_command_list();
    list->fill(write_of(buffer, 4 * index, 4), value);
    return list;
  }

  void lose() { GetParam().lose(*device_); }
};

TEST_P(QueueConformance, CountsTicketsFromOne) {
  EXPECT_EQ(queue().completed(), 0u);
  EXPECT_TRUE(queue().done(0));
  EXPECT_FALSE(queue().done(1));
  EXPECT_EQ(queue().wait(0, SteadyClock::now()), Status::kOk);
  const Buffer buffer = staging(64);
  std::vector<std::unique_ptr<CommandList>> lists;
  for (Ticket expected = 1; expected <= 5; ++expected) {
    lists.push_back(writer(buffer, 0, 1));
    EXPECT_EQ(submit(*lists.back()), expected);
  }
  EXPECT_EQ(queue().wait(5, soon()), Status::kOk);
  EXPECT_EQ(queue().completed(), 5u);
}

TEST_P(QueueConformance, FinishesTicketsInOrder) {
  const Buffer buffer = staging(4 << 20);
  std::vector<std::unique_ptr<CommandList>> lists;
  for (int i = 0; i < 12; ++i) {
    lists.push_back(device_->new_command_list());
    // Long and short ones in turn.
    lists.back()->fill(write_of(buffer, 0, i % 2 == 0 ? 4 << 20 : 4), 1);
    submit(*lists.back());
  }
  Ticket seen = 0;
  for (Ticket ticket = 1; ticket <= 12; ++ticket) {
    ASSERT_EQ(queue().wait(ticket, soon()), Status::kOk);
    const Ticket completed = queue().completed();
    EXPECT_GE(completed, ticket);
    EXPECT_GE(completed, seen);
    seen = completed;
  }
}

TEST_P(QueueConformance, RunsEmptyLists) {
  const auto list = device_->new_command_list();
  run(*list);
  EXPECT_EQ(queue().completed(), 1u);
}

TEST_P(QueueConformance, StartsAfterTheTicketItIsGiven) {
  constexpr size_t kBytes = 1 << 20;
  const Buffer a = staging(kBytes), b = staging(kBytes);
  std::memset(a.host, 0, kBytes);
  std::vector<std::unique_ptr<CommandList>> lists;
  Ticket last = 0;
  for (uint32_t round = 1; round <= 20; ++round) {
    lists.push_back(device_->new_command_list());
    lists.back()->fill(write_of(a, 0, kBytes), round);
    last = submit(*lists.back(), last);
    lists.push_back(device_->new_command_list());
    lists.back()->copy(read_of(a, 0, kBytes), write_of(b, 0, kBytes));
    last = submit(*lists.back(), last);
  }
  ASSERT_EQ(queue().wait(last, soon()), Status::kOk);
  for (size_t i = 0; i < kBytes / 4; i += 997) ASSERT_EQ(word(b, i), 20u) << "word " << i;
}

TEST_P(QueueConformance, StartsAfterAnOlderTicketToo) {
  constexpr size_t kBytes = 4 << 20;
  const Buffer a = staging(kBytes), b = staging(kBytes), other = staging(64);
  std::memset(b.host, 0, kBytes);
  const auto fill = device_->new_command_list();
  fill->fill(write_of(a, 0, kBytes), 9);
  const Ticket filled = submit(*fill);
  const auto between = writer(other, 0, 1);
  submit(*between);
  const auto copy = device_->new_command_list();
  copy->copy(read_of(a, 0, kBytes), write_of(b, 0, kBytes));
  ASSERT_EQ(queue().wait(submit(*copy, filled), soon()), Status::kOk);
  for (size_t i = 0; i < kBytes / 4; i += 997) ASSERT_EQ(word(b, i), 9u) << "word " << i;
}

TEST_P(QueueConformance, GivesUpAtTheDeadline) {
  const auto before = SteadyClock::now();
  EXPECT_EQ(queue().wait(1, before + 20ms), Status::kTimedOut) << "nobody has submitted it";
  EXPECT_GE(SteadyClock::now() - before, 20ms);
  EXPECT_LT(SteadyClock::now() - before, 10s);
  EXPECT_EQ(queue().wait(1, before), Status::kTimedOut) << "a deadline in the past only asks";
}

TEST_P(QueueConformance, NeedsNoTimeForWhatIsDone) {
  const auto list = device_->new_command_list();
  run(*list);
  EXPECT_EQ(queue().wait(1, SteadyClock::now() - 1h), Status::kOk);
  EXPECT_EQ(queue().wait(1, SteadyClock::time_point::max()), Status::kOk);
}

TEST_P(QueueConformance, TakesAListAgainAfterReset) {
  const Buffer buffer = staging(64);
  std::memset(buffer.host, 0, 64);
  const auto list = device_->new_command_list();
  for (uint32_t round = 1; round <= 30; ++round) {
    list->fill(write_of(buffer, 4 * (round % 4), 4), round);
    run(*list);
    ASSERT_EQ(word(buffer, round % 4), round);
    std::memset(buffer.host, 0, 64);
    list->reset();
  }
  run(*list);
  EXPECT_EQ(word(buffer, 2), 0u) << "what was reset is forgotten";
}

TEST_P(QueueConformance, ForgetsAListThatWasNeverSubmitted) {
  const Buffer buffer = staging(64);
  std::memset(buffer.host, 0, 64);
  const auto list = writer(buffer, 0, 1);
  list->reset();
  list->fill(write_of(buffer, 4, 4), 2);
  run(*list);
  EXPECT_EQ(word(buffer, 0), 0u);
  EXPECT_EQ(word(buffer, 1), 2u);
  const auto dropped = writer(buffer, 0, 3);
}

TEST_P(QueueConformance, TakesSubmissionsOfSeveralThreads) {
  constexpr size_t kThreads = 4, kEach = 25;
  const Buffer buffer = staging(4 * kThreads * kEach);
  std::memset(buffer.host, 0, buffer.bytes);
  std::vector<std::vector<Ticket>> tickets(kThreads);
  std::vector<std::unique_ptr<CommandList>> lists(kThreads * kEach);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = t * kEach; i < (t + 1) * kEach; ++i) {
        lists[i] = writer(buffer, i, static_cast<uint32_t>(i + 1));
        Ticket ticket = 0;
        if (queue().submit(*lists[i], 0, ticket) == Status::kOk) tickets[t].push_back(ticket);
        if (i % 5 == 0) queue().wait(ticket, soon());
      }
      queue().wait(tickets[t].back(), soon());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Ticket> all;
  for (const std::vector<Ticket>& mine : tickets) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), kThreads * kEach);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i + 1);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(word(buffer, i), i + 1);
}

TEST_P(QueueConformance, WakesWaitersOnOtherThreads) {
  std::atomic<int> woken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { woken += queue().wait(1, soon()) == Status::kOk ? 1 : 0; });
  }
  const auto list = device_->new_command_list();
  submit(*list);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, 3);
}

TEST_P(QueueConformance, AnswersLostEverywhere) {
  const Buffer buffer = staging(64);
  const auto first = writer(buffer, 0, 1), second = writer(buffer, 0, 2), third = device_->new_command_list();
  run(*first);
  lose();
  const Ticket lost = submit(*second, 1);
  EXPECT_EQ(queue().wait(lost, soon()), Status::kLost);
  EXPECT_EQ(queue().completed(), 1u);
  EXPECT_EQ(queue().wait(1, soon()), Status::kOk) << "what was done stays done";
  EXPECT_EQ(word(buffer, 0), 1u);
  Ticket ticket = 77;
  EXPECT_EQ(queue().submit(*third, 0, ticket), Status::kLost);
  EXPECT_EQ(ticket, 77u);
  Buffer none;
  EXPECT_EQ(device_->allocate(64, MemoryKind::kDevice, none), Status::kLost);
  EXPECT_EQ(device_->import_host(buffer.host, 64, none), Status::kLost);
  EXPECT_FALSE(device_->set_resident(buffer, true));
  EXPECT_THROW(device_->new_command_list(), DeviceError);
  const KernelCode code{"any", {}, 0};
  EXPECT_THROW(device_->kernel(code, {}), DeviceError);
  EXPECT_THROW(device_->kernel_from_source("any", "", {}), DeviceError);
  device_->memory_budget();
}

TEST_P(QueueConformance, EndsWaitsWhenLost) {
  const auto list = device_->new_command_list();
  lose();
  std::thread waiter([&] { EXPECT_EQ(queue().wait(1, SteadyClock::now() + 2s), Status::kLost); });
  submit(*list);
  waiter.join();
  EXPECT_EQ(queue().wait(2, soon()), Status::kLost) << "no later ticket will ever come";
}

}  // namespace

PLIMSOLL_CONFORMANCE(QueueConformance);

}  // namespace plimsoll::hal::conformance
