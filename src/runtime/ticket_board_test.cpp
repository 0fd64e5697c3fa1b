#include "runtime/ticket_board.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace plimsoll::runtime {
namespace {

TEST(TicketBoard, TicketZeroIsAlwaysDone) {
  const TicketBoard board;
  EXPECT_TRUE(board.done({7, 0}));
  board.wait({7, 0});
}

TEST(TicketBoard, KeepsFailuresByTicket) {
  TicketBoard board;
  const uint32_t stream = board.add_stream();
  board.complete({stream, 1}, nullptr);
  board.complete({stream, 2}, std::make_exception_ptr(std::runtime_error("two")));
  board.complete({stream, 3}, nullptr);
  EXPECT_EQ(board.failure({stream, 1}), nullptr);
  EXPECT_NE(board.failure({stream, 2}), nullptr);
  EXPECT_EQ(board.failure({stream, 3}), nullptr);
  const memory::Use uses[] = {{stream, 1}, {stream, 2}};
  EXPECT_NE(board.first_failure(uses), nullptr);
}

TEST(TicketBoard, WakesEveryWaiter) {
  TicketBoard board;
  const uint32_t stream = board.add_stream();
  std::vector<std::thread> waiters;
  for (uint64_t ticket = 1; ticket <= 8; ++ticket) {
    waiters.emplace_back([&board, stream, ticket] { board.wait({stream, ticket}); });
  }
  for (uint64_t ticket = 1; ticket <= 8; ++ticket) board.complete({stream, ticket}, nullptr);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_TRUE(board.done({stream, 8}));
  EXPECT_FALSE(board.done({stream, 9}));
}

}  // namespace
}  // namespace plimsoll::runtime
