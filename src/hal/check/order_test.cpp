#include "hal/check/order.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "hal/check/device.h"
#include "hal/drivers/null/driver.h"

namespace plimsoll::hal::check {
namespace {

constexpr KernelCode kAdd{"add", {}, 0};
constexpr KernelCode kScale{"scale", {}, 0};

class OrderTest : public testing::Test {
 protected:
  OrderTest() {
    EXPECT_EQ(device_.allocate(4096, MemoryKind::kDevice, a_), Status::kOk);
    EXPECT_EQ(device_.allocate(4096, MemoryKind::kDevice, b_), Status::kOk);
    EXPECT_EQ(device_.allocate(64, MemoryKind::kStaging, canary_), Status::kOk);
    list_ = device_.new_command_list();
  }
  ~OrderTest() override {
    for (const Buffer& buffer : {a_, b_, canary_}) device_.release(buffer);
  }

  static Access access(const Buffer& buffer, uint64_t offset, uint64_t bytes, AccessKind kind) {
    return {{buffer.address + offset, bytes, bytes, 1}, kind, buffer.address};
  }
  static Access read(const Buffer& buffer, uint64_t offset = 0, uint64_t bytes = 256) {
    return access(buffer, offset, bytes, AccessKind::kRead);
  }
  static Access write(const Buffer& buffer, uint64_t offset = 0, uint64_t bytes = 256) {
    return access(buffer, offset, bytes, AccessKind::kWrite);
  }

  void dispatch(std::initializer_list<Access> accesses, bool continued = false, const KernelCode& code = kAdd) {
    const uint32_t parameters[1] = {0};
    list_->dispatch({&device_.kernel(code, {}),
                     std::as_bytes(std::span(parameters)),
                     1,
                     std::span(accesses.begin(), accesses.size()),
                     {},
                     "Add",
                     continued});
  }
  void barrier() { list_->barrier(); }
  void canary() { list_->fill(write(canary_, 0, 4), 7); }

  // Sends what was recorded, and begins a new list.
  Ticket submit(Ticket after = 0) {
    Ticket ticket = 0;
    EXPECT_EQ(device_.queue().submit(*list_, after, ticket), Status::kOk);
    lists_.push_back(std::move(list_));
    list_ = device_.new_command_list();
    return ticket;
  }

  std::vector<Fault> faults() const {
    std::vector<Fault> faults;
    for (const Finding& finding : report_->findings()) faults.push_back(finding.fault);
    return faults;
  }

  const std::shared_ptr<Report> report_ = std::make_shared<Report>();
  Device device_{null::make_driver()->open("unified"), report_};
  Buffer a_, b_, canary_;
  std::unique_ptr<hal::CommandList> list_;
  std::vector<std::unique_ptr<hal::CommandList>> lists_;
};

using Faults = std::vector<Fault>;

TEST_F(OrderTest, AListWhoseBarriersAreAllNeededIsRight) {
  dispatch({write(a_)});
  dispatch({write(b_)});
  barrier();
  dispatch({read(a_), write(b_)});
  barrier();
  canary();
  submit();
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(report_->counts().lists, 1u);
  EXPECT_EQ(report_->counts().commands, 4u);
  EXPECT_EQ(report_->counts().barriers, 2u);
}

TEST_F(OrderTest, EachKindOfConflictNeedsABarrier) {
  const std::pair<Access, Access> conflicts[] = {
      {write(a_), read(a_)}, {read(a_), write(a_)}, {write(a_), write(a_, 255, 1)}};
  for (const auto& [first, second] : conflicts) {
    dispatch({first});
    dispatch({second});
    submit(lists_.size());
  }
  EXPECT_EQ(faults(), (Faults{Fault::kMissingBarrier, Fault::kMissingBarrier, Fault::kMissingBarrier}));
}

TEST_F(OrderTest, ReadersAndNeighboursNeedNone) {
  dispatch({read(a_), write(b_)});
  dispatch({read(a_), write(b_, 256)});
  const Access even{{a_.address + 512, 16, 64, 8}, AccessKind::kWrite, a_.address};
  const Access odd{{a_.address + 528, 48, 64, 8}, AccessKind::kWrite, a_.address};
  dispatch({even});
  dispatch({odd});
  submit();
  EXPECT_EQ(faults(), Faults{});
}

TEST_F(OrderTest, AFindingNamesBothCommands) {
  dispatch({write(a_)});
  dispatch({read(a_, 128)}, false, kScale);
  submit();
  ASSERT_EQ(faults(), Faults{Fault::kMissingBarrier});
  const Finding finding = report_->findings()[0];
  EXPECT_EQ(finding.site.list, 1u);
  EXPECT_EQ(finding.site.index, 1u);
  EXPECT_EQ(finding.site.kernel, "scale");
  EXPECT_EQ(finding.earlier.index, 0u);
  EXPECT_EQ(finding.earlier.access.region, write(a_).region);
  const std::string text = describe(finding);
  for (const char* part : {"missing barrier", "list 1, command 1, scale (Add), reads 256 bytes", "command 0, add"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST_F(OrderTest, ABarrierBetweenWhatDoesNotConflictIsNeedless) {
  dispatch({write(a_)});
  barrier();
  dispatch({write(b_)});
  submit();
  EXPECT_EQ(faults(), Faults{Fault::kNeedlessBarrier});
  EXPECT_EQ(report_->findings()[0].site.index, 1u);
}

TEST_F(OrderTest, ABarrierForAConflictThatAnotherOrdersIsNeedless) {
  dispatch({write(a_)});
  barrier();
  dispatch({read(a_), write(b_)});
  barrier();
  dispatch({read(a_), write(b_, 1024)});
  submit();
  EXPECT_EQ(faults(), Faults{Fault::kNeedlessBarrier});
  EXPECT_EQ(report_->findings()[0].site.index, 3u);
}

TEST_F(OrderTest, ABarrierRepeatedOrLastOrFirstIsNeedless) {
  barrier();
  dispatch({write(a_)});
  barrier();
  barrier();
  dispatch({read(a_)});
  barrier();
  submit();
  std::vector<size_t> indices;
  for (const Finding& finding : report_->findings()) indices.push_back(finding.site.index);
  EXPECT_EQ(indices, (std::vector<size_t>{3, 0, 5}));
}

TEST_F(OrderTest, ACopyAndAFillAreCommandsAsAnyOther) {
  list_->fill(write(a_, 0, 64), 1);
  barrier();
  list_->copy(read(a_, 0, 64), write(b_, 0, 64));
  list_->fill(write(b_, 32, 64), 2);
  submit();
  EXPECT_EQ(faults(), Faults{Fault::kMissingBarrier});
  EXPECT_EQ(report_->findings()[0].earlier.kernel, "copy");
}

TEST_F(OrderTest, TheCanaryStandsBehindABarrier) {
  dispatch({write(a_)});
  canary();
  submit();
  EXPECT_EQ(faults(), Faults{Fault::kUnorderedCanary});
}

TEST_F(OrderTest, PiecesOfOneDispatchNeedNoOrder) {
  dispatch({write(a_)});
  dispatch({write(a_)}, true);
  dispatch({write(a_)}, true);
  submit();
  EXPECT_EQ(faults(), Faults{});
}

TEST_F(OrderTest, AnotherDispatchIsNoPiece) {
  dispatch({write(a_)});
  dispatch({write(a_)}, true, kScale);
  submit();
  EXPECT_EQ(faults(), (Faults{Fault::kFalseContinuation, Fault::kMissingBarrier}));
}

TEST_F(OrderTest, ListsThatConflictNeedATicket) {
  dispatch({write(a_)});
  submit();
  dispatch({read(a_)});
  submit();
  EXPECT_EQ(faults(), Faults{Fault::kMissingTicket});
  EXPECT_EQ(report_->findings()[0].earlier.list, 1u);
}

TEST_F(OrderTest, ATicketOrdersEverythingUpToIt) {
  dispatch({write(a_)});
  submit();
  dispatch({write(b_)});
  const Ticket second = submit();
  dispatch({read(a_), read(b_)});
  submit(second);
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(report_->counts().waits, 1u);
  EXPECT_EQ(report_->counts().needless_waits, 0u);
}

TEST_F(OrderTest, WhatTheCallerSawDoneNeedsNoTicket) {
  dispatch({write(a_)});
  const Ticket first = submit();
  EXPECT_EQ(device_.queue().wait(first, std::chrono::steady_clock::now() + std::chrono::seconds(30)), Status::kOk);
  dispatch({read(a_)});
  submit();
  EXPECT_EQ(faults(), Faults{});
}

TEST_F(OrderTest, ATicketThatIsTooEarlyDoesNotDo) {
  dispatch({write(b_)});
  const Ticket first = submit();
  dispatch({write(a_)});
  submit();
  dispatch({read(a_), read(b_)});
  submit(first);
  EXPECT_EQ(faults(), Faults{Fault::kMissingTicket});
}

TEST_F(OrderTest, AWaitForWhatDoesNotConflictIsCountedAsNeedless) {
  dispatch({write(a_)});
  submit();
  dispatch({write(b_)});
  const Ticket second = submit();
  dispatch({read(a_)});
  submit(second);
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(report_->counts().needless_waits, 1u);
}

TEST_F(OrderTest, ARegionLiesInOneBuffer) {
  dispatch({read(a_, 4096 - 16, 32)});
  submit();
  EXPECT_EQ(faults(), Faults{Fault::kOutsideBuffer});
}

TEST_F(OrderTest, WhatWasGivenBackIsForgotten) {
  Buffer buffer;
  ASSERT_EQ(device_.allocate(4096, MemoryKind::kDevice, buffer), Status::kOk);
  dispatch({write(buffer)});
  submit();
  device_.release(buffer);
  Buffer again;
  ASSERT_EQ(device_.allocate(4096, MemoryKind::kDevice, again), Status::kOk);
  dispatch({write(again)});
  submit();
  EXPECT_EQ(faults(), Faults{});
  device_.release(again);
}

TEST_F(OrderTest, AWaitLogsWhatWasFoundOnce) {
  std::vector<std::string> messages;
  base::set_log_sink([&](base::LogLevel, std::string_view message) { messages.emplace_back(message); });
  dispatch({write(a_)});
  barrier();
  const Ticket ticket = submit();
  for (int i = 0; i < 2; ++i) device_.queue().wait(ticket, std::chrono::steady_clock::now());
  base::set_log_sink({});
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "[check] needless barrier: list 1, command 1, barrier");
}

}  // namespace
}  // namespace plimsoll::hal::check
