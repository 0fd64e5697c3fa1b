// What the encoder records and sends, on a device that only takes notes.
#include "gpu/encoder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "plimsoll/errors.h"
#include "hal/drivers/null/kernels.h"

namespace plimsoll::gpu {
namespace {

using hal::Access;
using hal::AccessKind;

const hal::null::Kernel kKernel("work");

struct Event {
  enum class Kind { kDispatch, kBarrier, kCopy, kFill, kTimestamp };
  Kind kind;
  uint32_t first = 0, groups = 0;  // of a dispatch
  bool continued = false;
  uint64_t address = 0;  // of a fill
  uint32_t pattern = 0;
};

class NotingList final : public hal::CommandList {
 public:
  void dispatch(const hal::Dispatch& dispatch) override {
    uint32_t first = 0;
    std::memcpy(&first, dispatch.parameters.data(), sizeof(first));
    events.push_back({Event::Kind::kDispatch, first, dispatch.groups, dispatch.continued});
  }
  void barrier() override { events.push_back({Event::Kind::kBarrier}); }
  void copy(const Access&, const Access&) override { events.push_back({Event::Kind::kCopy}); }
  void fill(const Access& to, uint32_t pattern) override {
    events.push_back({Event::Kind::kFill, 0, 0, false, to.region.address, pattern});
  }
  uint32_t timestamp() override {
    events.push_back({Event::Kind::kTimestamp});
    return timestamps_++;
  }
  std::vector<uint64_t> timestamps() const override { return std::vector<uint64_t>(timestamps_); }
  void label(const char*) override {}
  void reset() override { events.clear(); }

  std::vector<Event> of(Event::Kind kind) const {
    std::vector<Event> found;
    for (const Event& event : events) {
      if (event.kind == kind) found.push_back(event);
    }
    return found;
  }

  std::vector<Event> events;

 private:
  uint32_t timestamps_ = 0;
};

class NotingSink final : public CommandBufferSink {
 public:
  void submit(std::unique_ptr<CommandBuffer> buffer) override { sent.push_back(std::move(buffer)); }
  bool is_idle() const override { return idle; }
  std::unique_ptr<hal::CommandList> take_list() override { return std::make_unique<NotingList>(); }

  const NotingList& list(size_t i) const { return static_cast<const NotingList&>(*sent.at(i)->list); }
  std::vector<Event> dispatches(size_t i) const { return list(i).of(Event::Kind::kDispatch); }

  std::vector<std::unique_ptr<CommandBuffer>> sent;
  bool idle = false;
};

// Never commits of its own accord.
class Patient final : public SubmissionPolicy {
 public:
  bool add(uint32_t dispatches, std::span<const TouchedArray>, bool) override {
    counted.push_back(dispatches);
    return false;
  }
  void committed(bool) override {}

  std::vector<uint32_t> counted;
};

constexpr uint64_t kCanaries = 1 << 20;

hal::DeviceInfo gpu_info() {
  hal::DeviceInfo info;
  info.name = "noting";
  info.max_groups = 1000;
  info.has_timestamps = true;
  return info;
}

Access write(uint64_t address, uint64_t bytes = 64) { return {{address, bytes, bytes, 1}, AccessKind::kWrite, 1}; }
Access read(uint64_t address, uint64_t bytes = 64) { return {{address, bytes, bytes, 1}, AccessKind::kRead, 1}; }

struct Bench {
  explicit Bench(hal::DeviceInfo device = gpu_info(), TimeBudget budget = {0.1, true})
      : info(std::move(device)),
        owned_policy(std::make_unique<Patient>()),
        policy(*owned_policy),
        encoder(info, sink, std::move(owned_policy), budget, {kCanaries, nullptr, 4096}) {}

  // The operations that a discrete device's guess projects to take so long.
  hal::Cost cost_of(double projected) const {
    return {.operations = (projected * RateTable::kSafety - 5e-6) / RateTable::kFloorSlowness * 2e12};
  }

  void stage(uint64_t groups, double projected, std::vector<Access> accesses = {}) {
    const uint32_t parameters[2] = {77, 0};
    plan.add(kKernel, std::as_bytes(std::span(parameters)), groups, accesses, cost_of(projected));
  }

  uint64_t operation(uint64_t groups, double projected, std::vector<Access> accesses = {}, OperationNote note = {}) {
    plan.begin("Work");
    stage(groups, projected, std::move(accesses));
    return encoder.record(plan, note);
  }

  const hal::DeviceInfo info;
  NotingSink sink;
  std::unique_ptr<Patient> owned_policy;
  Patient& policy;
  Encoder encoder;
  LaunchPlan plan;
};

TEST(Encoder, CutsAtWorkgroupBoundariesAndNeverPassesTheBudget) {
  Bench bench;
  const uint64_t last = bench.operation(997, 0.73);
  bench.encoder.commit();
  ASSERT_GE(bench.sink.sent.size(), 8u);
  EXPECT_EQ(last, bench.sink.sent.size());
  uint32_t next = 0;
  for (size_t i = 0; i < bench.sink.sent.size(); ++i) {
    EXPECT_LE(bench.sink.sent[i]->projected, 0.1);
    for (const Event& dispatch : bench.sink.dispatches(i)) {
      EXPECT_EQ(dispatch.first, next);
      next += dispatch.groups;
    }
  }
  EXPECT_EQ(next, 997u);
  EXPECT_LE(bench.sink.sent.size(), 9u) << "command buffers that are filled from their start need no more";
}

TEST(Encoder, PiecesOfAnOperationFailWithTheOnesBefore) {
  Bench bench;
  bench.operation(4, 0.05);
  bench.plan.begin("TwoPasses");
  bench.stage(1, 0.04, {write(0)});
  bench.stage(1, 0.08, {read(0), write(64)});
  bench.stage(100, 0.15, {read(64), write(128)});
  bench.encoder.record(bench.plan, {});
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent.size(), 4u);
  EXPECT_EQ(bench.sink.sent[0]->continues, 0u);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(bench.sink.sent[i]->continues, i) << "command buffer " << i + 1;
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(bench.sink.sent[i]->after, i) << "each reads what the one before wrote";
}

TEST(Encoder, ACommandBufferDependsOnTheInputsOfItsOwnOperationsOnly) {
  Bench bench;
  const memory::Use first{3, 10}, second{3, 11};
  bench.operation(1, 0.06, {}, {.host_waits = {}, .depends = {&first, 1}, .arrays = {}});
  bench.operation(1, 0.06, {}, {.host_waits = {}, .depends = {&second, 1}, .arrays = {}});
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent.size(), 2u);
  EXPECT_EQ(bench.sink.sent[0]->depends, std::vector<memory::Use>{first});
  EXPECT_EQ(bench.sink.sent[1]->depends, std::vector<memory::Use>{second});
}

TEST(Encoder, EveryCommandBufferOfACutOperationDependsOnItsInputs) {
  Bench bench;
  const memory::Use input{3, 10};
  bench.operation(100, 0.25, {}, {.host_waits = {}, .depends = {&input, 1}, .arrays = {}});
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent.size(), 3u);
  for (const auto& buffer : bench.sink.sent) EXPECT_EQ(buffer->depends, std::vector<memory::Use>{input});
}

TEST(Encoder, WhatIsToFailGetsACommandBufferOfItsOwn) {
  Bench bench;
  bench.operation(1, 0.01);
  bench.operation(1, 0.01, {}, {.host_waits = {}, .depends = {}, .arrays = {}, .alone = true});
  bench.operation(1, 0.01);
  bench.encoder.commit();
  EXPECT_EQ(bench.sink.sent.size(), 3u);
}

TEST(Encoder, FoldsAtTheDevicesLimitOfWorkgroups) {
  Bench bench;
  bench.operation(2500, 0.01);
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent.size(), 1u);
  const std::vector<Event> dispatches = bench.sink.dispatches(0);
  ASSERT_EQ(dispatches.size(), 3u);
  const uint32_t groups[] = {1000, 1000, 500};
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(dispatches[i].first, i * 1000);
    EXPECT_EQ(dispatches[i].groups, groups[i]);
    EXPECT_EQ(dispatches[i].continued, i > 0);
  }
  EXPECT_TRUE(bench.sink.list(0).of(Event::Kind::kTimestamp).size() == 2) << "one measurement of all three";
}

TEST(Encoder, ThePolicyCountsWhatIsInTheOpenCommandBuffer) {
  Bench bench;
  bench.operation(3, 0.01);
  bench.operation(100, 0.25);
  EXPECT_EQ(bench.policy.counted, (std::vector<uint32_t>{1, 1})) << "earlier pieces were sent";
}

TEST(Encoder, RefusesBeforeAnythingOfTheOperationIsRecorded) {
  Bench bench;
  bench.operation(1, 0.01);
  bench.plan.begin("Scan");
  bench.stage(10, 0.05);
  bench.stage(2, 0.5);
  try {
    bench.encoder.record(bench.plan, {});
    FAIL() << "a workgroup of 0.25 s was let through";
  } catch (const LaunchBudgetError& error) {
    EXPECT_NE(std::string(error.what()).find("[Scan] one workgroup of work is projected to take 0.25 s"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("noting"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(bench.sink.sent.empty());
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent.size(), 1u);
  EXPECT_EQ(bench.sink.dispatches(0).size(), 1u);
}

TEST(Encoder, SoftwareDevicesCutButNeverRefuse) {
  hal::DeviceInfo info = gpu_info();
  info.type = hal::DeviceType::kSoftware;
  const TimeBudget budget = choose_budget(info);
  EXPECT_FALSE(budget.refuses);
  Bench bench(info, budget);
  bench.plan.begin("Work");
  const uint32_t parameters[2] = {0, 0};
  bench.plan.add(kKernel, std::as_bytes(std::span(parameters)), 3, {}, {.operations = 1e15});
  bench.encoder.record(bench.plan, {});
  bench.encoder.commit();
  EXPECT_EQ(bench.sink.sent.size(), 3u) << "a workgroup at a time";
}

TEST(Encoder, TheBudgetIsAQuarterOfWhatTheSystemLetsLive) {
  hal::DeviceInfo info;
  EXPECT_DOUBLE_EQ(choose_budget(info).seconds, 0.5);
  info.kill_seconds = 10;
  EXPECT_DOUBLE_EQ(choose_budget(info).seconds, 0.5);
  info.kill_seconds = 1;
  EXPECT_DOUBLE_EQ(choose_budget(info).seconds, 0.25);
  EXPECT_TRUE(choose_budget(info).refuses);
}

TEST(Encoder, TheCanaryComesLastBehindABarrier) {
  Bench bench;
  for (int round = 0; round < 3; ++round) {
    bench.operation(1, 0.001, {write(0)});
    bench.encoder.commit();
    const std::vector<Event>& events = bench.sink.list(round).events;
    ASSERT_GE(events.size(), 3u);
    const Event& canary = events.back();
    ASSERT_EQ(canary.kind, Event::Kind::kFill);
    EXPECT_EQ(events[events.size() - 2].kind, Event::Kind::kBarrier);
    EXPECT_EQ(canary.pattern, bench.sink.sent[round]->canary);
    EXPECT_EQ(canary.address, kCanaries + bench.sink.sent[round]->sequence * sizeof(uint32_t));
  }
  EXPECT_NE(bench.sink.sent[0]->canary, bench.sink.sent[1]->canary);
}

TEST(Encoder, PutsABarrierOnlyWhereSomethingConflicts) {
  Bench bench;
  bench.operation(1, 0.001, {write(0)});
  bench.operation(1, 0.001, {write(64)});
  bench.operation(1, 0.001, {read(0), write(128)});
  bench.operation(1, 0.001, {read(64), write(192)});
  bench.encoder.commit();
  EXPECT_EQ(bench.sink.list(0).of(Event::Kind::kBarrier).size(), 2u) << "one for both reads, and the canary's";
}

TEST(Encoder, OrdersCommandBuffersByWhatTheyShare) {
  Bench bench;
  bench.operation(1, 0.001, {write(0)});
  bench.encoder.commit();
  bench.operation(1, 0.001, {write(64)});
  bench.encoder.commit();
  bench.operation(1, 0.001, {read(0), write(128)});
  bench.encoder.commit();
  EXPECT_EQ(bench.sink.sent[1]->after, 0u) << "independent";
  EXPECT_EQ(bench.sink.sent[2]->after, 1u);
  bench.encoder.retire(3);
  bench.operation(1, 0.001, {write(0, 256)});
  bench.encoder.commit();
  EXPECT_EQ(bench.sink.sent[3]->after, 0u) << "what is done needs no order";
}

TEST(Encoder, AWaitForTheHostSendsTheOpenCommandBufferFirst) {
  Bench bench;
  bench.operation(1, 0.001);
  const memory::Use host{5, 1};
  bench.operation(1, 0.001, {}, {.host_waits = {&host, 1}, .depends = {}, .arrays = {}});
  ASSERT_EQ(bench.sink.sent.size(), 1u);
  EXPECT_TRUE(bench.sink.sent[0]->host_waits.empty());
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent.size(), 2u);
  EXPECT_EQ(bench.sink.sent[1]->host_waits, std::vector<memory::Use>{host});
}

TEST(Encoder, MeasuresWhatTakesLongAndNothingElse) {
  Bench bench;
  bench.operation(1, 0.05);
  bench.operation(1, 0.0001);
  bench.encoder.commit();
  ASSERT_EQ(bench.sink.sent[0]->timed.size(), 1u);
  EXPECT_EQ(bench.sink.sent[0]->timed[0].kernel, &kKernel);
  EXPECT_NEAR(bench.sink.sent[0]->timed[0].projected, 0.05, 1e-6);
  bench.encoder.set_profiling(true);
  bench.operation(1, 0.0001);
  bench.encoder.commit();
  EXPECT_EQ(bench.sink.sent[1]->timed.size(), 1u);
}

TEST(Encoder, NothingToRecordSendsNothing) {
  Bench bench;
  bench.plan.begin("Empty");
  EXPECT_EQ(bench.encoder.record(bench.plan, {}), 0u);
  bench.encoder.commit();
  EXPECT_TRUE(bench.sink.sent.empty());
}

TEST(Encoder, CopiesAreOrderedLikeDispatches) {
  Bench bench;
  bench.operation(1, 0.001, {write(0)});
  bench.encoder.copy(read(0), write(4096), "Copy", {});
  bench.operation(1, 0.001, {write(0)});
  bench.encoder.commit();
  const std::vector<Event>& events = bench.sink.list(0).events;
  const auto kind = [&](size_t i) { return events.at(i).kind; };
  EXPECT_EQ(kind(0), Event::Kind::kDispatch);
  EXPECT_EQ(kind(1), Event::Kind::kBarrier);
  EXPECT_EQ(kind(2), Event::Kind::kCopy);
  EXPECT_EQ(kind(3), Event::Kind::kBarrier);
  EXPECT_EQ(kind(4), Event::Kind::kDispatch);
}

}  // namespace
}  // namespace plimsoll::gpu
