#include "hal/drivers/sim/timeline.h"

#include <gtest/gtest.h>

namespace plimsoll::hal::sim {
namespace {

// Submits a list of `length` now.
Span submit(Timeline& timeline, Ticket after, Time length) {
  const Time start = timeline.start_of(after);
  return timeline.add(start, sum(start, length));
}

TEST(Timeline, RunsUnorderedListsBesideEachOther) {
  Timeline timeline(2);
  const Span a = submit(timeline, 0, 100);
  const Span b = submit(timeline, 0, 40);
  EXPECT_EQ(a.start, 0u);
  EXPECT_EQ(b.start, 0u);
  EXPECT_EQ(b.end, 40u);
  EXPECT_EQ(b.done, 100u) << "tickets are done in order";
}

TEST(Timeline, StartsAListWhenAllUpToItsTicketIsDone) {
  Timeline timeline(4);
  submit(timeline, 0, 100);
  submit(timeline, 0, 40);
  EXPECT_EQ(submit(timeline, 1, 10).start, 100u);
  EXPECT_EQ(submit(timeline, 2, 10).start, 100u) << "ticket 2 is done when ticket 1 is";
}

TEST(Timeline, QueuesListsBehindBusyEngines) {
  Timeline timeline(2);
  submit(timeline, 0, 100);
  submit(timeline, 0, 40);
  EXPECT_EQ(submit(timeline, 0, 10).start, 40u);
  EXPECT_EQ(submit(timeline, 0, 10).start, 50u);
}

TEST(Timeline, StartsNothingBeforeNow) {
  Timeline timeline(2);
  submit(timeline, 0, 10);
  timeline.advance_to(500);
  timeline.retire_next();
  EXPECT_EQ(submit(timeline, 1, 10).start, 500u);
  timeline.advance_to(400);
  EXPECT_EQ(timeline.now(), 500u);
}

TEST(Timeline, CountsTickets) {
  Timeline timeline(1);
  EXPECT_EQ(timeline.next(), 0u);
  submit(timeline, 0, 10);
  submit(timeline, 0, 10);
  EXPECT_EQ(timeline.submitted(), 2u);
  EXPECT_EQ(timeline.next(), 1u);
  EXPECT_EQ(timeline.done_at(2), 20u);
  timeline.advance_to(10);
  timeline.retire_next();
  EXPECT_EQ(timeline.completed(), 1u);
  EXPECT_EQ(timeline.next(), 2u);
  EXPECT_EQ(timeline.submitted(), 2u);
}

TEST(Timeline, KeepsWhatWasDoneBeforeALoss) {
  Timeline timeline(1);
  submit(timeline, 0, 10);
  submit(timeline, 0, 10);
  timeline.lose_at(15);
  timeline.lose_at(18);
  EXPECT_EQ(timeline.done_at(1), 10u);
  EXPECT_EQ(timeline.done_at(2), kNever);
  timeline.advance_to(1000);
  EXPECT_EQ(timeline.now(), 15u);
  EXPECT_TRUE(timeline.lost());
}

TEST(Timeline, NeverEndsWhatFollowsAHang) {
  Timeline timeline(2);
  submit(timeline, 0, 10);
  timeline.add(timeline.start_of(1), kNever);
  EXPECT_EQ(submit(timeline, 1, 5).end, 15u) << "the other engine runs on";
  EXPECT_EQ(timeline.done_at(3), kNever);
  EXPECT_EQ(submit(timeline, 2, 5).start, kNever);
}

}  // namespace
}  // namespace plimsoll::hal::sim
