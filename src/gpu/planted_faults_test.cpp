// The hazard checker finds each fault that is planted between the encoder and the device. False statements of kernels:
// hal/check/statements_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/random_program.h"

namespace plimsoll::gpu {
namespace {

using hal::check::Fault;

bool has(const CheckedEncoder& target, Fault fault) {
  const auto found = target.findings();
  return std::any_of(found.begin(), found.end(), [&](const auto& finding) { return finding.fault == fault; });
}

// Plants the fault at each of its first occasions in a random program; every one must be found.
void expect_found(Plant plant, Fault fault) {
  constexpr uint64_t kSeed = 1;
  constexpr int kOperations = 200;
  for (uint64_t occasion = 1; occasion <= 12; ++occasion) {
    CheckedEncoder target({.what = plant, .occasion = occasion});
    RandomProgram(kSeed).run(target, kOperations);
    ASSERT_TRUE(target.planted().fired()) << "occasion " << occasion;
    EXPECT_TRUE(has(target, fault)) << "seed " << kSeed << ", occasion " << occasion;
  }
}

TEST(PlantedFault, DroppedBarrier) { expect_found(Plant::kDropBarrier, Fault::kMissingBarrier); }
TEST(PlantedFault, BarrierTooLate) { expect_found(Plant::kLateBarrier, Fault::kMissingBarrier); }
TEST(PlantedFault, NeedlessBarrier) { expect_found(Plant::kExtraBarrier, Fault::kNeedlessBarrier); }
TEST(PlantedFault, DroppedBarrierOfTheCanary) { expect_found(Plant::kDropCanaryBarrier, Fault::kUnorderedCanary); }
TEST(PlantedFault, DispatchCalledAPiece) { expect_found(Plant::kFalsePiece, Fault::kFalseContinuation); }
TEST(PlantedFault, DroppedTicket) { expect_found(Plant::kDropTicket, Fault::kMissingTicket); }
TEST(PlantedFault, TicketTooEarly) { expect_found(Plant::kEarlyTicket, Fault::kMissingTicket); }

// Two dispatches one after another, the second of which states something else than the encoder was told.
class RestatedDispatch : public testing::Test {
 protected:
  std::vector<Fault> run(const std::vector<hal::Access>& first, const std::vector<hal::Access>& told,
                         const std::function<void(std::vector<hal::Access>&)>& restate) {
    planted_ = std::make_unique<CheckedEncoder>(Planted{Plant::kRestate, 2, restate});
    for (const auto* accesses : {&first, &told}) {
      LaunchPlan plan;
      plan.begin("Add");
      const uint32_t parameters[1] = {};
      std::vector<hal::Access> moved = *accesses;
      for (hal::Access& access : moved) {
        access.home = planted_->buffers()[0].address;
        access.region.address += access.home;
      }
      plan.add(planted_->kernel(kAdd), std::as_bytes(std::span(parameters)), 1, moved, {});
      planted_->encoder().record(plan, {});
    }
    planted_->encoder().commit();
    std::vector<Fault> faults;
    for (const auto& finding : planted_->findings()) faults.push_back(finding.fault);
    return faults;
  }

  // Offsets into the first buffer.
  static hal::Access access(uint64_t offset, hal::AccessKind kind) { return {{offset, 64, 64, 1}, kind, 0}; }
  static hal::Access read(uint64_t offset) { return access(offset, hal::AccessKind::kRead); }
  static hal::Access write(uint64_t offset) { return access(offset, hal::AccessKind::kWrite); }

  static constexpr hal::KernelCode kAdd{"add", {}, 0};
  std::unique_ptr<CheckedEncoder> planted_;
};

using Faults = std::vector<Fault>;

TEST_F(RestatedDispatch, RightAsTold) {
  EXPECT_EQ(run({write(0)}, {read(0)}, [](auto&) {}), Faults{});
}

TEST_F(RestatedDispatch, RegionTakenForItsNeighbour) {
  const auto shift = [](auto& accesses) { accesses[0].region.address -= 64; };
  EXPECT_EQ(run({write(0)}, {read(64)}, shift), Faults{Fault::kMissingBarrier});
}

TEST_F(RestatedDispatch, ReadNotTold) {
  const auto add = [](auto& accesses) {
    accesses.push_back(accesses[0]);
    accesses.back().region.address -= 128;
    accesses.back().kind = hal::AccessKind::kRead;
  };
  EXPECT_EQ(run({write(0)}, {write(128)}, add), Faults{Fault::kMissingBarrier});
}

TEST_F(RestatedDispatch, WriteTakenForARead) {
  const auto write_it = [](auto& accesses) { accesses[0].kind = hal::AccessKind::kReadWrite; };
  EXPECT_EQ(run({read(0)}, {read(0)}, write_it), Faults{Fault::kMissingBarrier});
}

TEST_F(RestatedDispatch, RegionThatLeavesItsBuffer) {
  const auto stretch = [](auto& accesses) { accesses[0].region.rows = 65; };
  EXPECT_EQ(run({write(0)}, {read(64)}, stretch), Faults{Fault::kOutsideBuffer});
}

TEST(PlantedFault, TwoHomesForOneBuffer) {
  CheckedEncoder target;
  const uint64_t address = target.buffers()[0].address;
  for (const uint64_t home : {address, address + 1}) {
    LaunchPlan plan;
    plan.begin("Add");
    const uint32_t parameters[1] = {};
    const hal::KernelCode code{"add", {}, 0};
    const hal::Access access{{address, 64, 64, 1}, hal::AccessKind::kWrite, home};
    plan.add(target.kernel(code), std::as_bytes(std::span(parameters)), 1, {&access, 1}, {});
    target.encoder().record(plan, {});
  }
  target.encoder().commit();
  EXPECT_TRUE(has(target, Fault::kMissingBarrier));
}

}  // namespace
}  // namespace plimsoll::gpu
