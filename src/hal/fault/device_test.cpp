#include "hal/fault/device.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "plimsoll/errors.h"
#include "hal/drivers/null/driver.h"
#include "hal/fault/driver.h"

namespace plimsoll::hal::fault {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr KernelCode kAdd{"add", {}, 0};

class FaultTest : public testing::Test {
 protected:
  ~FaultTest() override { device_->release(canary_); }

  // Submits a list that ends by writing `value`, and keeps it.
  Status submit(uint32_t value, Ticket& ticket) {
    lists_.push_back(device_->new_command_list());
    lists_.back()->timestamp();
    lists_.back()->fill({{canary_.address, 4, 4, 1}, AccessKind::kWrite, canary_.address}, value);
    lists_.back()->timestamp();
    return device_->queue().submit(*lists_.back(), 0, ticket);
  }

  uint32_t canary() const {
    uint32_t word;
    std::memcpy(&word, canary_.host, sizeof word);
    return word;
  }

  Status wait(Ticket ticket, std::chrono::nanoseconds patience = 30s) {
    return device_->queue().wait(ticket, SteadyClock::now() + patience);
  }

  void open(const Caps& caps) {
    device_ = make_driver(*null_, plan_, caps)->open("unified");
    EXPECT_EQ(device_->allocate(64, MemoryKind::kStaging, canary_), Status::kOk);
    before_ = plan_->counts();
  }

  void SetUp() override { open({}); }

  const std::unique_ptr<Driver> null_ = null::make_driver();
  const std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  std::unique_ptr<hal::Device> device_;
  Buffer canary_;
  Counts before_;
  std::vector<std::unique_ptr<hal::CommandList>> lists_;
};

TEST_F(FaultTest, DeniesTheNthAllocation) {
  Faults faults;
  faults.deny_allocations = Occasions::once(before_.allocations + 2);
  plan_->set(faults);
  Buffer first, second, third;
  EXPECT_EQ(device_->allocate(64, MemoryKind::kDevice, first), Status::kOk);
  EXPECT_EQ(device_->allocate(64, MemoryKind::kDevice, second), Status::kDenied);
  EXPECT_EQ(second.address, 0u);
  EXPECT_EQ(device_->allocate(64, MemoryKind::kDevice, third), Status::kOk);
  EXPECT_EQ(plan_->counts().allocations, before_.allocations + 3);
  device_->release(first);
  device_->release(third);
}

TEST_F(FaultTest, DeniesTheNthSubmission) {
  Faults faults;
  faults.deny_submissions = Occasions::once(2);
  plan_->set(faults);
  Ticket ticket = 0;
  EXPECT_EQ(submit(1, ticket), Status::kOk);
  EXPECT_EQ(submit(2, ticket), Status::kDenied);
  EXPECT_EQ(ticket, 1u);
  EXPECT_EQ(submit(3, ticket), Status::kOk);
  EXPECT_EQ(ticket, 2u);
}

TEST_F(FaultTest, DropsTheWritesOfAListWhoseTicketIsDoneAllTheSame) {
  Faults faults;
  faults.drop_writes = Occasions::once(2);
  plan_->set(faults);
  Ticket ticket = 0;
  const uint32_t expected[] = {1, 1, 3};
  for (uint32_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(submit(i, ticket), Status::kOk);
    EXPECT_EQ(ticket, i);
    EXPECT_EQ(wait(ticket), Status::kOk);
    EXPECT_EQ(canary(), expected[i - 1]);
    EXPECT_EQ(lists_.back()->timestamps().size(), 2u);
  }
  EXPECT_EQ(lists_[1]->timestamps(), (std::vector<uint64_t>{0, 0}));
  lists_[1]->reset();
  EXPECT_EQ(device_->queue().submit(*lists_[1], 0, ticket), Status::kOk);
  EXPECT_TRUE(lists_[1]->timestamps().empty());
}

TEST_F(FaultTest, IsLostBeforeTheListThatMeetsTheLoss) {
  Faults faults;
  faults.lose_device = Occasions::once(2);
  plan_->set(faults);
  Ticket first = 0, second = 0, third = 0;
  EXPECT_EQ(submit(1, first), Status::kOk);
  EXPECT_EQ(submit(2, second), Status::kOk);
  EXPECT_EQ(second, 2u);
  EXPECT_EQ(device_->queue().completed(), 1u);
  EXPECT_EQ(wait(first), Status::kOk);
  EXPECT_EQ(wait(second), Status::kLost);
  EXPECT_EQ(canary(), 1u);
  EXPECT_EQ(device_->queue().submit(*lists_[0], 0, third), Status::kLost);
  EXPECT_THROW(device_->new_command_list(), DeviceError);
}

TEST_F(FaultTest, CanSayAtOnceThatItIsLost) {
  Faults faults;
  faults.refuse_submissions_as_lost = Occasions::from(1);
  plan_->set(faults);
  Ticket ticket = 0;
  EXPECT_EQ(submit(1, ticket), Status::kLost);
  EXPECT_EQ(ticket, 0u);
  EXPECT_EQ(wait(1), Status::kLost);
}

TEST_F(FaultTest, DelaysATicketAndAllBehindIt) {
  Faults faults;
  faults.delay_submissions = Occasions::once(2);
  faults.delay = 100ms;
  plan_->set(faults);
  const auto before = SteadyClock::now();
  Ticket ticket = 0;
  for (uint32_t i = 1; i <= 3; ++i) ASSERT_EQ(submit(i, ticket), Status::kOk);
  EXPECT_EQ(wait(1), Status::kOk);
  if (SteadyClock::now() - before < 90ms) {
    EXPECT_EQ(device_->queue().completed(), 1u);
    EXPECT_EQ(wait(3, 1ms), Status::kTimedOut);
  }
  EXPECT_EQ(wait(3), Status::kOk);
  EXPECT_GE(SteadyClock::now() - before, 100ms);
  EXPECT_EQ(device_->queue().completed(), 3u);
}

TEST_F(FaultTest, RefusesKernelsByNameAndByNumber) {
  Faults faults;
  faults.refused_kernel = "add";
  plan_->set(faults);
  try {
    device_->kernel(kAdd, {});
    FAIL() << "accepted";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("[add]"), std::string::npos) << error.what();
  }
  EXPECT_STREQ(device_->kernel_from_source("other", "", {}).name(), "other");
  faults.refused_kernel.clear();
  faults.refuse_kernels = Occasions::once(4);
  plan_->set(faults);
  EXPECT_STREQ(device_->kernel(kAdd, {}).name(), "add");
  EXPECT_THROW(device_->kernel(kAdd, {}), DeviceError);
  EXPECT_NO_THROW(device_->kernel(kAdd, {}));
}

TEST_F(FaultTest, KeepsToFakedCaps) {
  device_->release(canary_);
  open({.max_buffer_bytes = 1000, .max_allocations = 3, .max_groups = 16});
  EXPECT_EQ(device_->info().max_buffer_bytes, 1000u);
  EXPECT_EQ(device_->info().max_allocations, 3u);
  EXPECT_EQ(device_->info().max_groups, 16u);
  Buffer a, b, c;
  EXPECT_EQ(device_->allocate(1001, MemoryKind::kDevice, a), Status::kTooLarge);
  EXPECT_EQ(device_->allocate(1000, MemoryKind::kDevice, a), Status::kOk);
  EXPECT_EQ(device_->allocate(10, MemoryKind::kStaging, b), Status::kOk);
  EXPECT_EQ(device_->allocate(10, MemoryKind::kDevice, c), Status::kTooMany);
  device_->release(b);
  EXPECT_EQ(device_->allocate(10, MemoryKind::kDevice, c), Status::kOk);
  device_->release(a);
  device_->release(c);
}

TEST_F(FaultTest, GoesOnCountingWhenTheDeviceIsOpenedAgain) {
  Faults faults;
  faults.lose_device = Occasions::once(1);
  plan_->set(faults);
  Ticket ticket = 0;
  EXPECT_EQ(submit(1, ticket), Status::kOk);
  EXPECT_EQ(wait(ticket), Status::kLost);
  lists_.clear();
  device_->release(canary_);
  open({});
  EXPECT_EQ(submit(2, ticket), Status::kOk);
  EXPECT_EQ(wait(ticket), Status::kOk);
  EXPECT_EQ(canary(), 2u);
  EXPECT_EQ(plan_->counts().submissions, 2u);
}

}  // namespace
}  // namespace plimsoll::hal::fault
