// Case K22: the time budget of command buffers, on a simulated machine.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "plimsoll/errors.h"
#include "gpu/encoder.h"
#include "hal/drivers/sim/device.h"

namespace plimsoll::gpu {
namespace {

namespace sim = hal::sim;

constexpr double kBudget = 0.1;  // seconds
constexpr double kOperationsPerSecond = 1e12;
constexpr hal::KernelCode kWork{"work", {}, 0};

sim::Machine machine() {
  sim::Machine machine;
  machine.info.name = "fake";
  machine.info.type = hal::DeviceType::kSimulated;
  machine.info.memory_bytes = 1 << 30;
  machine.info.buffer_alignment = 64;
  machine.info.has_timestamps = true;
  machine.operations_per_second = kOperationsPerSecond;
  machine.bytes_per_second = 1e12;
  return machine;
}

// A simulated device whose command buffers are judged when told to.
class SimSink final : public CommandBufferSink {
 public:
  explicit SimSink(sim::Device& device) : device_(device) {}

  void submit(std::unique_ptr<CommandBuffer> buffer) override {
    hal::Ticket ticket = 0;
    ASSERT_EQ(device_.queue().submit(*buffer->list, buffer->after, ticket), hal::Status::kOk);
    ASSERT_EQ(ticket, buffer->sequence);
    sent.push_back(std::move(buffer));
  }
  bool is_idle() const override { return false; }
  std::unique_ptr<hal::CommandList> take_list() override { return device_.new_command_list(); }

  // Lets everything end, and learns from it.
  void finish(Encoder& encoder) {
    static_cast<sim::Queue&>(device_.queue()).finish_all();
    for (; learned_ < sent.size(); ++learned_) {
      const CommandBuffer& buffer = *sent[learned_];
      const std::vector<uint64_t> times = buffer.list->timestamps();
      for (const TimedWork& work : buffer.timed) {
        const double seconds = static_cast<double>(times[work.end] - times[work.begin]) * 1e-9;
        encoder.rates().learn(*work.kernel, work.cost, seconds, buffer.sequence);
      }
      encoder.retire(buffer.sequence);
    }
  }

  std::vector<std::unique_ptr<CommandBuffer>> sent;

 private:
  sim::Device& device_;
  size_t learned_ = 0;
};

struct Bench {
  Bench() : device(machine()), sink(device) {
    EXPECT_EQ(device.allocate(4096, hal::MemoryKind::kStaging, canaries), hal::Status::kOk);
    encoder = std::make_unique<Encoder>(device.info(), sink, std::make_unique<GrowingCommandBuffers>(),
                                        TimeBudget{kBudget, true}, canaries);
    // The simulated machine's rate is known: the guess of its type, corrected.
    const double guess = 2e12;
    for (uint64_t i = 0; i < 8; ++i) {
      encoder->rates().learn(kernel(), {.operations = guess}, guess / kOperationsPerSecond, UINT64_MAX - i);
    }
  }
  ~Bench() { device.release(canaries); }

  const hal::Kernel& kernel() { return device.kernel(kWork, {}); }

  // Operations that are projected to take so long, safety included, at the machine's true rate.
  static hal::Cost cost_of(double projected) {
    return {.operations = (projected * RateTable::kSafety - 5e-6) * kOperationsPerSecond};
  }

  void run(double projected, uint64_t groups) { run(cost_of(projected), groups); }
  void run(hal::Cost cost, uint64_t groups) {
    const uint32_t parameters[1] = {0};
    plan.begin("Work");
    plan.add(kernel(), std::as_bytes(std::span(parameters)), groups, {}, cost);
    encoder->record(plan, {});
  }

  std::vector<double> projections() const {
    std::vector<double> all;
    for (const auto& buffer : sink.sent) all.push_back(buffer->projected);
    return all;
  }

  // Seconds of the device's clock that a command buffer took.
  double taken(size_t i) const {
    const sim::Record record = static_cast<sim::Queue&>(const_cast<sim::Device&>(device).queue()).history().at(i);
    return sim::to_seconds(record.end - record.start);
  }

  sim::Device device;
  hal::Buffer canaries;
  SimSink sink;
  std::unique_ptr<Encoder> encoder;
  LaunchPlan plan;
};

TEST(TimeBudget, PacksWhatFitsAndCutsWhatDoesNot) {
  Bench bench;
  bench.run(0.060, 1);
  bench.run(0.060, 1);
  bench.run(0.010, 1);
  bench.run(0.010, 1);
  bench.run(0.095, 1);
  bench.run(0.250, 100);
  bench.encoder->commit();
  const size_t before = bench.sink.sent.size();
  EXPECT_THROW(bench.run(0.250, 1), LaunchBudgetError);
  bench.encoder->commit();
  EXPECT_EQ(bench.sink.sent.size(), before) << "refused before anything is sent";

  const std::vector<double> projected = bench.projections();
  ASSERT_GE(projected.size(), 6u);
  EXPECT_NEAR(projected[0], 0.060, 1e-6);
  EXPECT_NEAR(projected[1], 0.080, 1e-6);
  EXPECT_NEAR(projected[2], 0.095, 1e-6);
  EXPECT_GE(projected.size() - 3, 3u) << "parts of the 250 ms";
  for (const double seconds : projected) EXPECT_LE(seconds, kBudget);
}

TEST(TimeBudget, ADeviceThatTurnsThreeTimesSlowerIsPlannedAnewWithinTwoSubmissions) {
  Bench bench;
  const auto step = [&] {
    bench.run(0.090, 90);
    bench.encoder->commit();
    bench.sink.finish(*bench.encoder);
  };
  for (int i = 0; i < 10; ++i) step();
  ASSERT_EQ(bench.sink.sent.size(), 10u) << "each step fits one command buffer";
  sim::Schedule slow;
  slow.slow_downs.push_back({11, 3.0});
  bench.device.set_schedule(slow);
  for (int i = 0; i < 4; ++i) step();
  EXPECT_GT(bench.sink.sent.size(), 14u) << "steps are cut after the device turned slow";
  for (size_t i = 12; i < bench.sink.sent.size(); ++i) EXPECT_LE(bench.taken(i), kBudget) << "submission " << i + 1;
  EXPECT_NEAR(bench.encoder->rates().slowness("work"), 3.0 * 2e12 / kOperationsPerSecond, 0.05);
}

TEST(TimeBudget, HoldsWithEveryRateOffByTwo) {
  for (const double factor : {0.5, 1.0, 2.0}) {
    SCOPED_TRACE("the device takes " + std::to_string(factor) + " times as long as was learned");
    Bench bench;
    sim::Schedule schedule;
    schedule.slow_downs.push_back({1, factor});
    bench.device.set_schedule(schedule);
    for (const double projected : {0.060, 0.060, 0.010, 0.010, 0.095, 0.250, 3.0, 0.040}) bench.run(projected, 1000);
    bench.encoder->commit();
    bench.sink.finish(*bench.encoder);
    for (size_t i = 0; i < bench.sink.sent.size(); ++i) EXPECT_LE(bench.taken(i), kBudget * (1 + 1e-6)) << i;
  }
}

}  // namespace
}  // namespace plimsoll::gpu
