#include "hal/drivers/sim/device.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/errors.h"
#include "hal/drivers/sim/driver.h"
#include "hal/drivers/sim/presets.h"

namespace plimsoll::hal::sim {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr KernelCode kAdd{"add", {}, 0};
constexpr KernelCode kMatmul{"matmul_half", {}, 0};

// One second is 1000 operations, or 100 bytes, or 10 bytes paged; nothing else takes time.
Machine plain_machine() {
  Machine machine;
  machine.info.name = "plain";
  machine.info.memory_bytes = 1 << 20;
  machine.info.buffer_alignment = 64;
  machine.operations_per_second = 1000;
  machine.rates = {{"mat", 3000}, {"matmul", 2000}, {"attention", 1}};
  machine.bytes_per_second = 100;
  machine.paging_bytes_per_second = 10;
  machine.engines = 2;
  machine.wires = true;
  machine.working_set_bytes = 1 << 19;
  return machine;
}

struct Fixture {
  explicit Fixture(const Machine& machine = plain_machine()) : device(machine) {}

  std::unique_ptr<hal::CommandList> list(const KernelCode& code, Cost cost) {
    auto list = device.new_command_list();
    Dispatch dispatch;
    dispatch.kernel = &device.kernel(code, {});
    dispatch.groups = 1;
    dispatch.cost = cost;
    list->dispatch(dispatch);
    return list;
  }

  // Submits a list of so many operations; keeps it.
  Ticket work(double operations, Ticket after = 0) {
    lists.push_back(list(kAdd, {operations, 0}));
    Ticket ticket = 0;
    EXPECT_EQ(device.queue().submit(*lists.back(), after, ticket), Status::kOk);
    return ticket;
  }

  Status wait(Ticket ticket, std::chrono::seconds patience = 1000s) {
    return device.queue().wait(ticket, SteadyClock::now() + patience);
  }

  double seconds() { return to_seconds(device.queue().now()); }

  Device device;
  std::vector<std::unique_ptr<hal::CommandList>> lists;
};

TEST(SimDevice, TakesTheTimeOfItsTable) {
  Fixture sim;
  sim.wait(sim.work(500));
  EXPECT_DOUBLE_EQ(sim.seconds(), 0.5);
  const Time before = sim.device.queue().now();
  auto list = sim.list(kMatmul, {1000, 80});
  Ticket ticket = 0;
  sim.device.queue().submit(*list, 0, ticket);
  sim.wait(ticket);
  EXPECT_DOUBLE_EQ(to_seconds(sim.device.queue().now() - before), 0.8) << "bytes bound it";
}

TEST(SimDevice, ChoosesTheRateOfTheLongestPrefix) {
  const Machine machine = plain_machine();
  EXPECT_DOUBLE_EQ(machine.seconds("matmul_half", {6000, 0}, 0), 3.0);
  EXPECT_DOUBLE_EQ(machine.seconds("mat", {6000, 0}, 0), 2.0);
  EXPECT_DOUBLE_EQ(machine.seconds("add", {6000, 0}, 0), 6.0);
}

TEST(SimDevice, LetsNoTimePassButWhenSomeoneWaits) {
  Fixture sim;
  const Ticket ticket = sim.work(1000);
  EXPECT_EQ(sim.device.queue().completed(), 0u);
  EXPECT_EQ(sim.device.queue().wait(ticket, SteadyClock::now() - 1s), Status::kTimedOut);
  EXPECT_EQ(sim.device.queue().now(), 0u);
  EXPECT_EQ(sim.wait(ticket), Status::kOk);
  EXPECT_EQ(sim.device.queue().completed(), ticket);
}

TEST(SimDevice, OverlapsListsWithoutAnOrder) {
  Fixture sim;
  const Ticket a = sim.work(1000);
  const Ticket b = sim.work(1000);
  const Ticket c = sim.work(1000, b);
  sim.wait(c);
  const std::vector<Record> history = sim.device.queue().history();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_LT(history[1].start, history[0].end);
  EXPECT_EQ(history[2].start, history[1].end);
  EXPECT_DOUBLE_EQ(sim.seconds(), 2.0);
  EXPECT_EQ(history[0].ticket, a);
  EXPECT_EQ(history[2].after, b);
  EXPECT_EQ(history[0].dispatches, 1u);
  EXPECT_EQ(history[0].cost.operations, 1000);
}

TEST(SimDevice, SpendsAWaitersPatienceOnTheVirtualClock) {
  Fixture sim;
  const Ticket ticket = sim.work(100'000);
  const auto before = SteadyClock::now();
  EXPECT_EQ(sim.wait(ticket, 10s), Status::kTimedOut);
  EXPECT_LT(SteadyClock::now() - before, 5s);
  EXPECT_NEAR(sim.seconds(), 10, 0.5);
  EXPECT_EQ(sim.wait(ticket, 95s), Status::kOk);
  EXPECT_DOUBLE_EQ(sim.seconds(), 100);
}

TEST(SimDevice, BlocksForRealUnderAManualClock) {
  Fixture sim;
  sim.device.queue().set_clock(Clock::kManual);
  const Ticket ticket = sim.work(1000);
  EXPECT_EQ(sim.device.queue().wait(ticket, SteadyClock::now() + 5ms), Status::kTimedOut);
  EXPECT_EQ(sim.device.queue().now(), 0u);
  auto waiter = std::async(std::launch::async, [&] { return sim.wait(ticket); });
  sim.device.queue().advance(from_seconds(0.5));
  EXPECT_EQ(sim.device.queue().completed(), 0u);
  sim.device.queue().finish(ticket);
  EXPECT_EQ(waiter.get(), Status::kOk);
  EXPECT_DOUBLE_EQ(sim.seconds(), 1);
}

TEST(SimDevice, FinishesWhatWasSubmittedWhenTold) {
  Fixture sim;
  sim.device.queue().set_clock(Clock::kManual);
  sim.device.queue().finish_all();
  sim.work(1000);
  const Ticket last = sim.work(500, 1);
  sim.device.queue().finish_all();
  EXPECT_EQ(sim.device.queue().completed(), last);
  EXPECT_DOUBLE_EQ(sim.seconds(), 1.5);
}

TEST(SimDevice, WaitsForATicketThatIsStillToCome) {
  Fixture sim;
  auto waiter = std::async(std::launch::async, [&] { return sim.wait(1); });
  std::this_thread::sleep_for(2ms);
  sim.work(1000);
  EXPECT_EQ(waiter.get(), Status::kOk);
}

TEST(SimDevice, NotesTimesWithinAList) {
  Fixture sim;
  sim.wait(sim.work(1000));
  auto list = sim.device.new_command_list();
  Dispatch dispatch;
  dispatch.kernel = &sim.device.kernel(kAdd, {});
  dispatch.cost = {250, 0};
  EXPECT_EQ(list->timestamp(), 0u);
  list->dispatch(dispatch);
  EXPECT_EQ(list->timestamp(), 1u);
  Ticket ticket = 0;
  sim.device.queue().submit(*list, 0, ticket);
  sim.wait(ticket);
  EXPECT_EQ(list->timestamps(), (std::vector<uint64_t>{1'000'000'000, 1'250'000'000}));
}

TEST(SimDevice, SlowsDownWhenMemoryPages) {
  Machine machine = plain_machine();
  machine.paging_bytes = 30000;
  Fixture sim(machine);
  Buffer buffer;
  ASSERT_EQ(sim.device.allocate(40000, MemoryKind::kDevice, buffer), Status::kOk);
  auto list = sim.list(kAdd, {0, 100});
  Ticket ticket = 0;
  sim.device.queue().submit(*list, 0, ticket);
  sim.wait(ticket);
  EXPECT_DOUBLE_EQ(sim.seconds(), 0.75 * 1 + 0.25 * 10) << "a quarter of the traffic pages";
  sim.device.release(buffer);
}

TEST(SimDevice, IsLostWhenAListRunsTooLong) {
  Machine machine = plain_machine();
  machine.info.kill_seconds = 2;
  Fixture sim(machine);
  const Ticket fine = sim.work(2000);
  const Ticket killed = sim.work(2001, fine);
  const Ticket follower = sim.work(1, killed);
  EXPECT_EQ(sim.wait(fine), Status::kOk);
  EXPECT_EQ(sim.wait(follower), Status::kLost);
  EXPECT_DOUBLE_EQ(sim.seconds(), 4);
  EXPECT_EQ(sim.wait(killed), Status::kLost);
  EXPECT_EQ(sim.wait(fine), Status::kOk) << "what was done stays done";
}

TEST(SimDevice, AnswersLostEverywhereOnceItIs) {
  Fixture sim;
  Buffer buffer;
  ASSERT_EQ(sim.device.allocate(100, MemoryKind::kDevice, buffer), Status::kOk);
  Schedule schedule;
  schedule.lose_device = Occasions::once(2);
  sim.device.set_schedule(schedule);
  const Ticket first = sim.work(10);
  const Ticket second = sim.work(10, first);
  EXPECT_EQ(sim.wait(second), Status::kLost);
  EXPECT_EQ(sim.device.queue().completed(), first);
  Ticket ticket = 77;
  EXPECT_EQ(sim.device.queue().submit(*sim.lists[0], 0, ticket), Status::kLost);
  EXPECT_EQ(ticket, 77u);
  Buffer other;
  EXPECT_EQ(sim.device.allocate(100, MemoryKind::kDevice, other), Status::kLost);
  EXPECT_EQ(sim.device.import_host(nullptr, 100, other), Status::kLost);
  EXPECT_FALSE(sim.device.set_resident(buffer, true));
  EXPECT_THROW(sim.device.new_command_list(), DeviceError);
  EXPECT_THROW(sim.device.kernel(kAdd, {}), DeviceError);
  EXPECT_EQ(sim.wait(3), Status::kLost);
  sim.device.release(buffer);
}

TEST(SimDevice, HangsWithoutHangingTheHost) {
  Fixture sim;
  Schedule schedule;
  schedule.hang = Occasions::once(1);
  sim.device.set_schedule(schedule);
  const Ticket ticket = sim.work(10);
  EXPECT_EQ(sim.wait(ticket, 20s), Status::kTimedOut);
  EXPECT_EQ(sim.device.queue().wait(ticket, SteadyClock::time_point::max()), Status::kTimedOut);
  sim.device.queue().finish(ticket);
  EXPECT_EQ(sim.device.queue().completed(), 0u);
}

TEST(SimDevice, RunsSlowerFromASubmissionOn) {
  Fixture sim;
  Schedule schedule;
  schedule.slow_downs = {{2, 3.0}, {4, 1.0}};
  schedule.kernel_factors = {{"matmul_half", 2.0}};
  sim.device.set_schedule(schedule);
  std::vector<double> lengths;
  for (int i = 0; i < 4; ++i) {
    const Time before = sim.device.queue().now();
    sim.wait(sim.work(1000));
    lengths.push_back(to_seconds(sim.device.queue().now() - before));
  }
  EXPECT_EQ(lengths, (std::vector<double>{1, 3, 3, 1}));
  auto list = sim.list(kMatmul, {2000, 0});
  Ticket ticket = 0;
  sim.device.queue().submit(*list, 0, ticket);
  sim.wait(ticket);
  const Record record = sim.device.queue().history().back();
  EXPECT_DOUBLE_EQ(to_seconds(record.end - record.start), 2) << "this kernel's rate is off by two";
}

// A word in a staging buffer that each list ends by writing.
struct Canary {
  explicit Canary(Device& device) : device_(device) {
    EXPECT_EQ(device.allocate(4096, MemoryKind::kStaging, buffer), Status::kOk);
  }
  ~Canary() { device_.release(buffer); }

  Access access() const { return {{buffer.address + 8, 4, 0, 1}, AccessKind::kWrite, buffer.address}; }
  uint32_t word() const {
    uint32_t word;
    std::memcpy(&word, buffer.host + 8, sizeof word);
    return word;
  }

  Buffer buffer;

 private:
  Device& device_;
};

TEST(SimDevice, WritesCanariesWhenTheirTimeHasCome) {
  Fixture sim;
  const Canary canary(sim.device);
  auto list = sim.device.new_command_list();
  list->fill(canary.access(), 42);
  Ticket ticket = 0;
  sim.device.queue().submit(*list, sim.work(10), ticket);
  EXPECT_EQ(canary.word(), 0u);
  sim.wait(ticket);
  EXPECT_EQ(canary.word(), 42u);
}

TEST(SimDevice, DropsTheWritesOfAList) {
  Fixture sim;
  const Canary canary(sim.device);
  Schedule schedule;
  schedule.drop_writes = Occasions::once(2);
  sim.device.set_schedule(schedule);
  uint32_t expected[] = {1, 1, 3};
  for (uint32_t i = 1; i <= 3; ++i) {
    auto list = sim.device.new_command_list();
    list->fill(canary.access(), i);
    Ticket ticket = 0;
    sim.device.queue().submit(*list, 0, ticket);
    EXPECT_EQ(sim.wait(ticket), Status::kOk);
    EXPECT_EQ(canary.word(), expected[i - 1]);
  }
}

TEST(SimDevice, CopiesBetweenStagingBuffersAndZerosOutOfDeviceMemory) {
  Fixture sim;
  const Canary from(sim.device), to(sim.device);
  Buffer nothing;
  ASSERT_EQ(sim.device.allocate(64, MemoryKind::kDevice, nothing), Status::kOk);
  EXPECT_EQ(nothing.host, nullptr);
  std::memset(from.buffer.host, 5, 4096);
  auto list = sim.device.new_command_list();
  list->copy(from.access(), to.access());
  Ticket ticket = 0;
  sim.device.queue().submit(*list, 0, ticket);
  sim.wait(ticket);
  EXPECT_EQ(to.word(), 0x05050505u);
  list->reset();
  list->copy({{nothing.address, 4, 0, 1}, AccessKind::kRead, nothing.address}, to.access());
  sim.device.queue().submit(*list, 0, ticket);
  sim.wait(ticket);
  EXPECT_EQ(to.word(), 0u);
  sim.device.release(nothing);
}

TEST(SimDevice, HasOnlySoMuchMemory) {
  Machine machine = plain_machine();
  machine.info.max_buffer_bytes = 1 << 19;
  machine.info.max_allocations = 3;
  Fixture sim(machine);
  Buffer buffers[3], extra;
  EXPECT_EQ(sim.device.allocate((1 << 19) + 1, MemoryKind::kDevice, extra), Status::kTooLarge);
  for (Buffer& buffer : buffers) {
    const MemoryKind kind = &buffer == &buffers[2] ? MemoryKind::kStaging : MemoryKind::kDevice;
    ASSERT_EQ(sim.device.allocate(1 << 19, kind, buffer), Status::kOk) << "staging is the host's memory";
  }
  EXPECT_EQ(sim.device.allocate(1, MemoryKind::kDevice, extra), Status::kTooMany);
  sim.device.release(buffers[2]);
  EXPECT_EQ(sim.device.allocate(1, MemoryKind::kDevice, extra), Status::kDenied);
  EXPECT_EQ(sim.device.memory_budget().used, 1u << 20);
  sim.device.release(buffers[0]);
  sim.device.release(buffers[1]);
  EXPECT_EQ(sim.device.memory_budget().used, 0u);
}

TEST(SimDevice, DeniesTheAllocationsOfItsSchedule) {
  Fixture sim;
  Schedule schedule;
  schedule.deny_allocations = Occasions::once(2);
  sim.device.set_schedule(schedule);
  Buffer buffer;
  EXPECT_EQ(sim.device.allocate(64, MemoryKind::kDevice, buffer), Status::kOk);
  Buffer denied;
  EXPECT_EQ(sim.device.allocate(64, MemoryKind::kDevice, denied), Status::kDenied);
  EXPECT_EQ(sim.device.allocations(), 2u);
  sim.device.release(buffer);
}

TEST(SimDevice, WiresUpToItsWorkingSet) {
  Fixture sim;
  Buffer small, large;
  ASSERT_EQ(sim.device.allocate(1 << 18, MemoryKind::kDevice, small), Status::kOk);
  ASSERT_EQ(sim.device.allocate(1 << 19, MemoryKind::kDevice, large), Status::kOk);
  EXPECT_TRUE(sim.device.set_resident(small, true));
  EXPECT_TRUE(sim.device.set_resident(small, true));
  EXPECT_EQ(sim.device.wired(), 1u << 18);
  EXPECT_FALSE(sim.device.set_resident(large, true));
  EXPECT_TRUE(sim.device.set_resident(small, false));
  EXPECT_TRUE(sim.device.set_resident(large, true));
  sim.device.release(large);
  EXPECT_EQ(sim.device.wired(), 0u);
  sim.device.release(small);
}

TEST(SimDriver, OpensPresetsByNameAndIndex) {
  const std::unique_ptr<Driver> driver = make_driver();
  const std::vector<Candidate> found = driver->candidates();
  ASSERT_FALSE(found.empty());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(driver->open(i)->info().name, found[i].info.name);
    EXPECT_EQ(driver->open(found[i].info.name)->info().identity, "sim-" + found[i].info.name);
    EXPECT_FALSE(found[i].info.makes_values);
  }
  EXPECT_EQ(driver->open("m1max-32")->info().memory_bytes, size_t{32} << 30);
  EXPECT_EQ(driver->open("h200")->info().kill_seconds, 0);
}

TEST(SimDriver, ListsItsPresetsForAnUnknownName) {
  const std::unique_ptr<Driver> driver = make_driver();
  try {
    driver->open("m9-1024");
    FAIL() << "opened";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("m1max-32"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("h200"), std::string::npos) << error.what();
  }
  EXPECT_THROW(driver->open(99), DeviceError);
}

// The flagship attention forward of 8192 tokens took 0.186 s on the machine that the preset describes.
TEST(SimPresets, AgreeWithWhatWasMeasured) {
  for (const Machine& machine : presets()) {
    if (machine.info.name == "m1max-32") {
      const double pairs = 32.0 * 8192 * 8193 / 2;
      EXPECT_NEAR(machine.seconds("attention_forward", {pairs * 2 * 128 * 2, 0}, 0), 0.186, 0.02);
    }
    if (machine.info.name == "h200") {
      EXPECT_DOUBLE_EQ(machine.bytes_per_second, 4.02e12);
    }
    EXPECT_LE(machine.working_set_bytes, machine.info.memory_bytes);
    EXPECT_LE(machine.paging_bytes, machine.info.memory_bytes);
  }
}

}  // namespace
}  // namespace plimsoll::hal::sim
