#include "hal/check/statements.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/check/device.h"
#include "hal/drivers/null/driver.h"

namespace plimsoll::hal::check {
namespace {

// What a kernel does with its parameters, which start with the first workgroup.
struct Parameters {
  uint32_t first_group;
  uint32_t groups;
  float* in;
  float* out;
};
using Body = std::function<void(const Parameters&)>;

// The null device with kernels: each is run by the host when its dispatch is recorded, which is right for lists that
// hold one command.
class HostDevice final : public hal::Device {
 public:
  explicit HostDevice(std::map<std::string, Body> bodies) : bodies_(std::move(bodies)), info_(inner_->info()) {
    info_.makes_values = true;
  }

  const DeviceInfo& info() const noexcept override { return info_; }
  Status allocate(size_t bytes, MemoryKind kind, Buffer& out) noexcept override {
    return inner_->allocate(bytes, kind, out);
  }
  void release(const Buffer& buffer) noexcept override { inner_->release(buffer); }
  Status import_host(std::byte* memory, size_t bytes, Buffer& out) noexcept override {
    return inner_->import_host(memory, bytes, out);
  }
  const Kernel& kernel(const KernelCode& code, std::span<const uint32_t> constants) override {
    return inner_->kernel(code, constants);
  }
  const Kernel& kernel_from_source(const std::string& name, std::string_view source,
                                   std::span<const uint32_t> constants) override {
    return inner_->kernel_from_source(name, source, constants);
  }
  std::unique_ptr<hal::CommandList> new_command_list() override {
    return std::make_unique<List>(inner_->new_command_list(), bodies_);
  }
  hal::Queue& queue() noexcept override { return queue_; }
  MemoryBudget memory_budget() const noexcept override { return inner_->memory_budget(); }
  bool can_wire() const noexcept override { return false; }
  bool set_resident(const Buffer&, bool) noexcept override { return false; }

 private:
  class List final : public hal::CommandList {
   public:
    List(std::unique_ptr<hal::CommandList> list, const std::map<std::string, Body>& bodies)
        : inner(std::move(list)), bodies_(bodies) {}
    void dispatch(const Dispatch& dispatch) override {
      Parameters parameters{};
      std::memcpy(&parameters, dispatch.parameters.data(), sizeof parameters);
      parameters.groups = dispatch.groups;
      bodies_.at(dispatch.kernel->name())(parameters);
    }
    void barrier() override {}
    void copy(const Access& from, const Access& to) override { inner->copy(from, to); }
    void fill(const Access& to, uint32_t pattern) override { inner->fill(to, pattern); }
    uint32_t timestamp() override { return kNoTimestamp; }
    std::vector<uint64_t> timestamps() const override { return {}; }
    void label(const char*) override {}
    void reset() override { inner->reset(); }

    const std::unique_ptr<hal::CommandList> inner;

   private:
    const std::map<std::string, Body>& bodies_;
  };

  class HostQueue final : public hal::Queue {
   public:
    explicit HostQueue(hal::Device& inner) : inner_(inner) {}
    Status submit(hal::CommandList& list, Ticket after, Ticket& out) override {
      return inner_.queue().submit(*static_cast<List&>(list).inner, after, out);
    }
    Ticket completed() const noexcept override { return inner_.queue().completed(); }
    Status wait(Ticket ticket, std::chrono::steady_clock::time_point deadline) override {
      return inner_.queue().wait(ticket, deadline);
    }

   private:
    hal::Device& inner_;
  };

  const std::map<std::string, Body> bodies_;
  const std::unique_ptr<hal::Device> inner_ = null::make_driver()->open("unified");
  DeviceInfo info_;
  HostQueue queue_{*inner_};
};

constexpr size_t kRow = 8;    // floats that one workgroup works on
constexpr size_t kSpace = 1;  // float between two rows of the input

// out[i] = f(i), for the elements of the dispatch's workgroups.
Body map_rows(std::function<float(const Parameters&, size_t)> f) {
  return [f](const Parameters& p) {
    for (size_t i = p.first_group * kRow; i < (p.first_group + p.groups) * kRow; ++i) p.out[i] = f(p, i);
  };
}

const std::map<std::string, Body> kBodies = {
    {"double", map_rows([](const Parameters& p, size_t i) { return 2 * p.in[i]; })},
    {"add", map_rows([](const Parameters& p, size_t i) { return p.out[i] + p.in[i]; })},
    {"mean", map_rows([](const Parameters& p, size_t i) { return p.in[i] + p.in[i + 1]; })},
    {"spill",
     [](const Parameters& p) {
       for (size_t i = 0; i <= p.groups * kRow; ++i) p.out[i] = 2 * p.in[0];
     }},
    {"skip",
     [](const Parameters& p) {
       for (size_t i = 0; i + 1 < p.groups * kRow; ++i) p.out[i] = 1;
     }},
    {"spaced", map_rows([](const Parameters& p, size_t i) { return p.in[i + i / kRow * kSpace]; })},
};

class StatementTest : public testing::Test {
 protected:
  StatementTest() {
    EXPECT_EQ(device_.allocate(4096, MemoryKind::kDevice, buffer_), Status::kOk);
    for (size_t i = 0; i < 1024; ++i) floats()[i] = static_cast<float>(i);
    list_ = device_.new_command_list();
  }
  ~StatementTest() override { device_.release(buffer_); }

  float* floats() { return reinterpret_cast<float*>(buffer_.host); }
  float* in() { return floats() + 100; }
  float* out() { return floats() + 500; }

  Access rows(const float* at, size_t count, size_t row, size_t stride, AccessKind kind) const {
    return {{reinterpret_cast<uint64_t>(at), row * 4, stride * 4, count}, kind, buffer_.address};
  }
  Access read(size_t count, size_t row = kRow, size_t stride = kRow) {
    return rows(in(), count, row, stride, AccessKind::kRead);
  }
  Access written(size_t count, AccessKind kind = AccessKind::kWrite) { return rows(out(), count, kRow, kRow, kind); }

  void dispatch(const char* kernel, std::vector<Access> accesses, uint32_t first, uint32_t groups,
                bool continued = false) {
    const Parameters parameters{first, groups, in(), out()};
    const KernelCode code{kernel, {}, 0};
    list_->dispatch(
        {&device_.kernel(code, {}), std::as_bytes(std::span(&parameters, 1)), groups, accesses, {}, "Op", continued});
  }

  // Sends the list with a canary of its own at the end, so that nothing counts as cut short.
  std::vector<Fault> submit(bool complete = true) {
    if (complete) {
      dispatch("double", {read(1), rows(floats() + 900, 1, kRow, kRow, AccessKind::kReadWrite)}, 0, 0);
      list_->barrier();
      list_->fill(rows(floats() + 1000, 1, 1, 1, AccessKind::kWrite), 1);
    }
    Ticket ticket = 0;
    EXPECT_EQ(device_.queue().submit(*list_, 0, ticket), Status::kOk);
    EXPECT_TRUE(device_.queue().done(ticket));
    std::vector<Fault> faults;
    for (const Finding& finding : report_->findings()) faults.push_back(finding.fault);
    return faults;
  }

  const std::shared_ptr<Report> report_ = std::make_shared<Report>();
  Device device_{std::make_unique<HostDevice>(kBodies), report_, Mode::kStatements};
  Buffer buffer_;
  std::unique_ptr<hal::CommandList> list_;
};

using Faults = std::vector<Fault>;

TEST_F(StatementTest, AKernelThatDoesWhatItStatesIsRight) {
  dispatch("double", {read(4), written(4)}, 0, 4);
  EXPECT_EQ(submit(), Faults{});
  EXPECT_EQ(out()[31], 262.0f);
  EXPECT_EQ(floats()[499], 499.0f);
  EXPECT_EQ(floats()[532], 532.0f);
  EXPECT_EQ(report_->counts().statements, 2u);
  EXPECT_EQ(report_->counts().unproven, 0u);
}

TEST_F(StatementTest, WhatIsReadAndWrittenIsUpdatedOnce) {
  dispatch("add", {read(2), written(2, AccessKind::kReadWrite)}, 0, 2);
  EXPECT_EQ(submit(), Faults{});
  EXPECT_EQ(out()[3], 503.0f + 103.0f);
}

TEST_F(StatementTest, AKernelThatWritesOutsideIsFound) {
  dispatch("spill", {read(1), written(1)}, 0, 1);
  ASSERT_EQ(submit(), Faults{Fault::kWritesOutside});
  EXPECT_EQ(report_->findings()[0].byte / 4 * 4, reinterpret_cast<uint64_t>(out() + kRow));
  EXPECT_EQ(report_->findings()[0].site.kernel, "spill");
}

TEST_F(StatementTest, AKernelThatReadsOutsideIsFound) {
  dispatch("mean", {read(1), written(1)}, 0, 1);
  ASSERT_EQ(submit(), Faults{Fault::kReadsOutside});
  EXPECT_EQ(report_->findings()[0].byte / 4 * 4, reinterpret_cast<uint64_t>(out() + kRow - 1));
}

TEST_F(StatementTest, AnUpdateStatedAsAWriteIsFound) {
  dispatch("add", {read(1), written(1)}, 0, 1);
  EXPECT_EQ(submit(), Faults{Fault::kReadsOutside});
}

TEST_F(StatementTest, RowsWithGapsAreReadOneByOne) {
  dispatch("spaced", {read(2, kRow, kRow + kSpace), written(2)}, 0, 2);
  EXPECT_EQ(submit(), Faults{});
}

TEST_F(StatementTest, ARowStatedTooShortIsFound) {
  dispatch("spaced", {read(2, kRow - 1, kRow + kSpace), written(2)}, 0, 2);
  EXPECT_EQ(submit(), Faults{Fault::kReadsOutside});
}

TEST_F(StatementTest, AGapInAStatedWriteIsFound) {
  dispatch("skip", {written(1)}, 0, 1);
  EXPECT_EQ(submit(), Faults{Fault::kLeavesGaps});
}

TEST_F(StatementTest, PiecesFillWhatTheyStateTogether) {
  dispatch("double", {read(4), written(4)}, 0, 3);
  dispatch("double", {read(4), written(4)}, 3, 1, true);
  EXPECT_EQ(submit(), Faults{});
  EXPECT_EQ(out()[31], 262.0f);
}

TEST_F(StatementTest, ADispatchCutBetweenTwoListsIsRight) {
  dispatch("double", {read(4), written(4)}, 0, 3);
  EXPECT_EQ(submit(false), Faults{});
  list_ = device_.new_command_list();
  dispatch("double", {read(4), written(4)}, 3, 1);
  list_->barrier();
  EXPECT_EQ(out()[31], 531.0f);
  Ticket ticket = 0;
  EXPECT_EQ(device_.queue().submit(*list_, 1, ticket), Status::kOk);
  EXPECT_EQ(out()[31], 262.0f);
}

}  // namespace
}  // namespace plimsoll::hal::check
