// Who takes the conformance suite, and what they are excused from.
#include "hal/conformance/subject.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "plimsoll/errors.h"
#include "hal/driver.h"
#include "hal/drivers/null/driver.h"
#include "hal/drivers/sim/device.h"
#include "hal/drivers/sim/driver.h"
#include "hal/fault/device.h"

namespace plimsoll::hal::conformance {
namespace {

const Exception kRunsNothing[] = {
    {"RunsEveryWorkgroupOnce", "runs no kernels"},
    {"ReadsSmallParameters", "runs no kernels"},
    {"ReadsDirectParameters", "runs no kernels"},
    {"ReadsLargeParameters", "runs no kernels"},
    {"KeepsLargeParametersApart", "runs no kernels"},
    {"StartsAtItsFirstWorkgroup", "runs no kernels"},
    {"SetsConstants", "runs no kernels"},
    {"OrdersDispatchesByBarrier", "runs no kernels"},
    {"NamesWhatDoesNotCompile", "compiles no kernels"},
};

const Exception kSimulated[] = {
    {"ShowsDeviceMemoryWhereItIsShared", "device memory is addresses only"},
    {"MovesBytesThroughDeviceMemory", "device memory holds nothing"},
    {"MovesOddSizes", "device memory holds nothing"},
};

const Exception kLossUnprovoked[] = {
    {"AnswersLostEverywhere", "a real device cannot be lost at will"},
    {"EndsWaitsWhenLost", "a real device cannot be lost at will"},
};

const Exception kNeverLost[] = {
    {"AnswersLostEverywhere", "cannot be lost"},
    {"EndsWaitsWhenLost", "cannot be lost"},
};

template <typename... Lists>
std::vector<Exception> all_of(const Lists&... lists) {
  std::vector<Exception> all;
  (all.insert(all.end(), std::begin(lists), std::end(lists)), ...);
  return all;
}

std::unique_ptr<Device> open_null(std::string_view device) { return null::make_driver()->open(device); }

// Over any device, with a plan that a test reaches through lose().
Subject with_faults(const Subject& inner) {
  Subject subject;
  subject.name = "fault_over_" + inner.name;
  subject.exceptions = inner.exceptions;
  std::erase_if(subject.exceptions, [](const Exception& exception) {
    return std::any_of(std::begin(kNeverLost), std::end(kNeverLost),
                       [&](const Exception& loss) { return loss.test == exception.test; });
  });
  const auto plan = std::make_shared<fault::Plan>();
  subject.open = [open = inner.open, plan](std::string& missing) -> std::unique_ptr<Device> {
    std::unique_ptr<Device> device = open(missing);
    plan->clear();
    return device == nullptr ? nullptr : std::make_unique<fault::Device>(std::move(device), plan);
  };
  subject.lose = [plan](Device&) {
    fault::Faults faults;
    faults.lose_device = Occasions::once(plan->counts().submissions + 1);
    plan->set(faults);
  };
  return subject;
}

// The first Vulkan device that can be opened: a software one, or a real one.
std::unique_ptr<Device> open_vulkan(bool software, std::string& missing) {
  Driver* const driver = find_driver("vulkan");
  missing = driver == nullptr ? "this build has no Vulkan driver" : driver->unavailable();
  if (!missing.empty()) return nullptr;
  const std::vector<Candidate> found = driver->candidates();
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].unusable.empty() && (found[i].info.type == DeviceType::kSoftware) == software) return driver->open(i);
  }
  missing = software ? "no software Vulkan device (lavapipe)" : "no Vulkan GPU";
  return nullptr;
}

Subject vulkan(const char* name, bool software) {
  return {name, [software](std::string& missing) { return open_vulkan(software, missing); }, all_of(kLossUnprovoked)};
}

Subject null_device(const char* name, const char* device) {
  return {name, [device](std::string&) { return open_null(device); }, all_of(kRunsNothing, kNeverLost)};
}

Subject simulated(const char* name, const char* machine) {
  Subject subject{name, [machine](std::string&) { return sim::make_driver()->open(machine); },
                  all_of(kRunsNothing, kSimulated)};
  subject.lose = [](Device& device) {
    sim::Device& mine = static_cast<sim::Device&>(device);
    sim::Schedule schedule;
    schedule.lose_device = Occasions::once(mine.queue().submissions() + 1);
    mine.set_schedule(schedule);
  };
  return subject;
}

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = [] {
    const Subject unified = null_device("null_unified", "unified");
    const Subject software = vulkan("vulkan_software", true);
    return std::vector<Subject>{
        unified,
        null_device("null_discrete", "discrete"),
        with_faults(unified),
        simulated("sim_m1max_32", "m1max-32"),
        simulated("sim_laptop_8", "laptop-8"),
        simulated("sim_h200", "h200"),
        software,
        with_faults(software),
        vulkan("vulkan_gpu", false),
    };
  }();
  return all;
}

void Conformance::SetUp() {
  const std::string_view test = testing::UnitTest::GetInstance()->current_test_info()->name();
  for (const Exception& exception : GetParam().exceptions) {
    if (test.substr(0, test.find('/')) == exception.test) GTEST_SKIP() << GetParam().name << ": " << exception.reason;
  }
  home_ = std::filesystem::temp_directory_path() / ("plimsoll_conformance_" + std::to_string(getpid()));
  setenv("PLIMSOLL_HOME", home_.c_str(), 1);
  std::string missing;
  device_ = GetParam().open(missing);
  if (device_ == nullptr) GTEST_SKIP() << missing;
}

void Conformance::TearDown() {
  for (const Buffer& buffer : buffers_) device_->release(buffer);
  device_.reset();
  unsetenv("PLIMSOLL_HOME");
  std::error_code ignored;
  if (!home_.empty()) std::filesystem::remove_all(home_, ignored);
}

Buffer Conformance::allocate(size_t bytes, MemoryKind kind) {
  Buffer buffer;
  const Status status = device_->allocate(bytes, kind, buffer);
  if (status != Status::kOk) throw DeviceError(std::string("[test] allocation: ") + to_string(status));
  buffers_.push_back(buffer);
  return buffer;
}

Ticket Conformance::submit(CommandList& list, Ticket after) {
  Ticket ticket = 0;
  EXPECT_EQ(queue().submit(list, after, ticket), Status::kOk);
  last_ = std::max(last_, ticket);
  return ticket;
}

void Conformance::run(CommandList& list) {
  const Ticket ticket = submit(list, last_);
  ASSERT_EQ(queue().wait(ticket, soon()), Status::kOk);
}

// An exception for a test that no longer exists would excuse nothing, and hide that.
TEST(ConformanceTable, ExcusesFromTestsThatExist) {
  std::set<std::string> tests;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int s = 0; s < program.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *program.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const std::string name = suite.GetTestInfo(t)->name();
      tests.insert(name.substr(0, name.find('/')));
    }
  }
  for (const Subject& subject : subjects()) {
    for (const Exception& exception : subject.exceptions) {
      EXPECT_TRUE(tests.count(std::string(exception.test)) == 1) << subject.name << ": " << exception.test;
      EXPECT_FALSE(exception.reason.empty()) << subject.name << ": " << exception.test;
    }
  }
}

}  // namespace plimsoll::hal::conformance
