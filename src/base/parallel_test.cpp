#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::base {
namespace {

class ThreadCount {
 public:
  explicit ThreadCount(int threads) { set_num_threads(threads); }
  ~ThreadCount() { set_num_threads(0); }
};

std::vector<std::pair<int64_t, int64_t>> split(int64_t count, int64_t grain) {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  parallel_ranges(count, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(Parallel, CoversEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadCount scope(threads);
    for (const int64_t count : {0, 1, 2, 7, 64, 1000}) {
      for (const int64_t grain : {0, 1, 5, 999}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
        parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        for (const auto& times : seen) ASSERT_EQ(times, 1) << "count " << count << " grain " << grain;
      }
    }
  }
}

TEST(Parallel, SplitsByCountGrainAndThreadsAlone) {
  const ThreadCount scope(4);
  using Ranges = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(split(10, 1), (Ranges{{0, 3}, {3, 6}, {6, 9}, {9, 10}}));
  EXPECT_EQ(split(10, 6), (Ranges{{0, 6}, {6, 10}}));
  Ranges nested;
  parallel_tasks(1, [&](int64_t, int64_t) { nested = split(10, 1); });
  EXPECT_EQ(nested, split(10, 1));
}

TEST(Parallel, RunsNestedRegionsOnTheCallingThread) {
  const ThreadCount scope(4);
  std::atomic<int> moved{0};
  parallel_ranges(4, 1, [&](int64_t, int64_t) {
    const auto outer = std::this_thread::get_id();
    parallel_ranges(8, 1, [&](int64_t, int64_t) { moved += std::this_thread::get_id() != outer; });
  });
  EXPECT_EQ(moved, 0);
}

TEST(Parallel, RethrowsTheErrorOfTheLowestRangeOnceAllHaveEnded) {
  const ThreadCount scope(4);
  std::atomic<int> ended{0};
  try {
    parallel_ranges(4, 1, [&](int64_t begin, int64_t) {
      ++ended;
      if (begin > 0) throw std::runtime_error(std::to_string(begin));
    });
    FAIL() << "no exception arrived";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
  EXPECT_EQ(ended, 4);
  EXPECT_THROW(parallel_tasks(9,
                              [](int64_t i, int64_t) {
                                if (i == 5) throw std::logic_error("task");
                              }),
               std::logic_error);
  EXPECT_EQ(split(4, 1).size(), 4u);
}

TEST(Parallel, TasksRunEachIndexOnce) {
  const ThreadCount scope(3);
  std::vector<std::atomic<int>> seen(100);
  parallel_tasks(100, [&](int64_t begin, int64_t end) {
    ASSERT_EQ(end, begin + 1);
    ++seen[static_cast<size_t>(begin)];
  });
  for (const auto& times : seen) EXPECT_EQ(times, 1);
}

TEST(Parallel, OneRegionAtATimeAcrossThreads) {
  const ThreadCount scope(2);
  std::atomic<int> owner{0};
  std::atomic<int> clashes{0};
  const auto hammer = [&](int me) {
    for (int round = 0; round < 50; ++round) {
      const TeamLock team;
      owner = me;
      parallel_ranges(2, 1, [&](int64_t, int64_t) { clashes += owner != me; });
    }
  };
  std::thread other(hammer, 1);
  hammer(2);
  other.join();
  EXPECT_EQ(clashes, 0);
}

TEST(Parallel, TeamLockNests) {
  const TeamLock outer;
  const TeamLock inner;
  EXPECT_EQ(split(3, 3).size(), 1u);
}

TEST(Parallel, ThreadCountCanBeSetAndReset) {
  set_num_threads(5);
  EXPECT_EQ(num_threads(), 5);
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
}

}  // namespace
}  // namespace plimsoll::base
