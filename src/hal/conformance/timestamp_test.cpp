// The device's clock.
#include <algorithm>

#include "hal/conformance/subject.h"

namespace plimsoll::hal::conformance {
namespace {

class TimestampConformance : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    if (device_ != nullptr && !device_->info().has_timestamps) GTEST_SKIP() << GetParam().name << " has no clock";
  }
};

TEST_P(TimestampConformance, NeverRunsBackwards) {
  const Buffer buffer = staging(1 << 20);
  const auto list = device_->new_command_list();
  std::vector<uint64_t> all;
  for (int round = 0; round < 3; ++round) {
    list->reset();
    for (uint32_t i = 0; i < 40; ++i) {
      EXPECT_EQ(list->timestamp(), i);
      list->fill(write_of(buffer, 0, 1 << 20), i);
      list->barrier();
    }
    run(*list);
    const std::vector<uint64_t> notes = list->timestamps();
    ASSERT_EQ(notes.size(), 40u);
    all.insert(all.end(), notes.begin(), notes.end());
  }
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_GT(all.back(), all.front()) << "the clock stands still";
}

TEST_P(TimestampConformance, NotesSoManyAndNoMore) {
  const auto list = device_->new_command_list();
  for (uint32_t i = 0; i < CommandList::kMaxTimestamps; ++i) ASSERT_EQ(list->timestamp(), i);
  EXPECT_EQ(list->timestamp(), CommandList::kNoTimestamp);
  run(*list);
  EXPECT_EQ(list->timestamps().size(), size_t{CommandList::kMaxTimestamps});
  list->reset();
  EXPECT_EQ(list->timestamp(), 0u);
}

TEST_P(TimestampConformance, HasNoneWithoutNotes) {
  const auto list = device_->new_command_list();
  run(*list);
  EXPECT_TRUE(list->timestamps().empty());
}

}  // namespace

PLIMSOLL_CONFORMANCE(TimestampConformance);

}  // namespace plimsoll::hal::conformance
