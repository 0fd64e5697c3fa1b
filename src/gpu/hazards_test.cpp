// The tracker against a reference that remembers everything: each pair that conflicts is ordered, and nothing else is.
#include "gpu/hazards.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace plimsoll::gpu {
namespace {

using hal::Access;
using hal::AccessKind;

constexpr AccessKind kKinds[] = {AccessKind::kRead, AccessKind::kWrite, AccessKind::kReadWrite};

Access access(uint64_t address, uint64_t bytes, AccessKind kind, uint64_t home = 1) {
  return {{address, bytes, bytes, 1}, kind, home};
}
Access read(uint64_t address, uint64_t bytes) { return access(address, bytes, AccessKind::kRead); }
Access write(uint64_t address, uint64_t bytes) { return access(address, bytes, AccessKind::kWrite); }

TEST(HazardTracker, OrdersWhatSharesBytesOnly) {
  HazardTracker tracker;
  tracker.record({{write(0, 64)}});
  EXPECT_FALSE(tracker.check({{write(64, 64)}}).barrier);
  EXPECT_FALSE(tracker.check({{access(0, 64, AccessKind::kWrite, 2)}}).barrier) << "another allocation";
  EXPECT_TRUE(tracker.check({{read(63, 1)}}).barrier);
  EXPECT_TRUE(tracker.check({{write(0, 64)}}).barrier);
}

TEST(HazardTracker, ReadsNeedNoOrder) {
  HazardTracker tracker;
  tracker.record({{read(0, 64)}});
  EXPECT_FALSE(tracker.check({{read(0, 64)}}).barrier);
  EXPECT_TRUE(tracker.check({{write(32, 1)}}).barrier);
}

TEST(HazardTracker, ABarrierOrdersAllBeforeIt) {
  HazardTracker tracker;
  tracker.record({{write(0, 64)}});
  tracker.record({{write(128, 64)}});
  tracker.barrier();
  EXPECT_FALSE(tracker.check({{read(0, 256)}}).barrier);
}

TEST(HazardTracker, RowsBetweenOtherRowsDoNotConflict) {
  HazardTracker tracker;
  const Access even{{0, 16, 32, 8}, AccessKind::kWrite, 1};
  const Access odd{{16, 16, 32, 8}, AccessKind::kWrite, 1};
  tracker.record({{even}});
  EXPECT_FALSE(tracker.check({{odd}}).barrier);
}

TEST(HazardTracker, WaitsForTheLatestCommandBufferThatConflicts) {
  HazardTracker tracker;
  tracker.record({{write(0, 64)}});
  tracker.commit();  // 1
  tracker.record({{read(0, 64)}});
  tracker.commit();  // 2
  tracker.record({{write(512, 64)}});
  tracker.commit();  // 3
  EXPECT_EQ(tracker.check({{read(0, 8)}}).after, 1u);
  EXPECT_EQ(tracker.check({{write(0, 8)}}).after, 2u);
  EXPECT_EQ(tracker.check({{read(0, 1024)}}).after, 3u);
  EXPECT_EQ(tracker.check({{read(256, 8)}}).after, 0u);
  tracker.start_after(2);
  EXPECT_EQ(tracker.check({{write(0, 8)}}).after, 0u) << "the command buffer starts after 2 already";
  tracker.retire(3);
  EXPECT_EQ(tracker.check({{write(0, 1024)}}).after, 0u);
}

TEST(HazardTracker, AReadDoesNotHideTheWriteBeforeIt) {
  HazardTracker tracker;
  tracker.record({{write(0, 64)}});
  tracker.commit();  // 1
  tracker.start_after(1);
  tracker.record({{read(0, 64)}});
  tracker.commit();  // 2
  EXPECT_EQ(tracker.check({{read(0, 64)}}).after, 1u);
}

// Keeps every access for good.
class Reference {
 public:
  HazardTracker::Order check(std::span<const Access> accesses) const {
    HazardTracker::Order order;
    for (const Access& access : accesses) {
      for (const Past& past : all_) {
        if (past.access.home != access.home || (!past.access.writes() && !access.writes())) continue;
        if (!hal::overlap(past.access.region, access.region)) continue;
        if (past.sequence == open_) {
          order.barrier |= past.epoch == epoch_;
        } else if (past.sequence > ordered_) {
          order.after = std::max(order.after, past.sequence);
        }
      }
    }
    return order;
  }
  void record(std::span<const Access> accesses) {
    for (const Access& access : accesses) all_.push_back({access, open_, epoch_});
  }
  void barrier() { ++epoch_; }
  void start_after(uint64_t sequence) { ordered_ = std::max(ordered_, sequence); }
  void commit() {
    ++open_;
    ordered_ = retired_;
  }
  void retire(uint64_t sequence) {
    retired_ = std::max(retired_, sequence);
    ordered_ = std::max(ordered_, retired_);
  }
  uint64_t open() const { return open_; }

 private:
  struct Past {
    Access access;
    uint64_t sequence, epoch;
  };
  std::vector<Past> all_;
  uint64_t open_ = 1, epoch_ = 0, ordered_ = 0, retired_ = 0;
};

Access random_access(std::mt19937& random) {
  const uint64_t home = 1 + random() % 3;
  const AccessKind kind = kKinds[random() % 3];
  // Few distinct regions, so that many repeat exactly; some of several rows.
  const uint64_t address = home * 4096 + random() % 8 * 16;
  if (random() % 3 == 0) return {{address, 8, 32, 1 + random() % 4}, kind, home};
  return access(address, 16 * (1 + random() % 3), kind, home);
}

TEST(HazardTracker, AgreesWithTheReferenceOnRandomStreams) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    HazardTracker tracker;
    Reference reference;
    for (int step = 0; step < 600; ++step) {
      std::vector<Access> accesses;
      for (unsigned i = 0; i <= random() % 4; ++i) accesses.push_back(random_access(random));
      const HazardTracker::Order order = tracker.check(accesses);
      const HazardTracker::Order expected = reference.check(accesses);
      ASSERT_EQ(order.barrier, expected.barrier) << "step " << step;
      ASSERT_EQ(order.after, expected.after) << "step " << step;
      if (order.after != 0) {
        tracker.start_after(order.after);
        reference.start_after(order.after);
      }
      if (order.barrier) {
        tracker.barrier();
        reference.barrier();
      }
      tracker.record(accesses);
      reference.record(accesses);
      if (random() % 8 == 0) {
        tracker.commit();
        reference.commit();
      }
      if (random() % 40 == 0) {
        const uint64_t done = random() % reference.open();
        tracker.retire(done);
        reference.retire(done);
      }
    }
  }
}

}  // namespace
}  // namespace plimsoll::gpu
