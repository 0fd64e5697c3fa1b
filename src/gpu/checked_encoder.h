// For tests: an encoder on the null device behind the hazard checker. Between the two, one planted fault can be let
// loose on what the encoder records.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/encoder.h"
#include "hal/check/device.h"
#include "hal/drivers/null/driver.h"

namespace plimsoll::gpu {

enum class Plant : uint8_t {
  kNothing,
  kDropBarrier,
  kLateBarrier,  // behind the command that needs it
  kExtraBarrier,
  kDropCanaryBarrier,
  kFalsePiece,   // a dispatch is called a piece of the one before
  kDropTicket,   // a list waits for nothing
  kEarlyTicket,  // a list waits for the ticket before
  kRestate,      // the dispatch states something else than the encoder was told
};

// A fault and the time it waits for.
struct Planted {
  Plant what = Plant::kNothing;
  uint64_t occasion = 1;  // counted from 1
  std::function<void(std::vector<hal::Access>&)> restate = nullptr;
  uint64_t seen = 0;  // occasions so far

  bool fires(Plant plant) { return plant == what && ++seen == occasion; }
  bool fired() const { return seen >= occasion; }
};

// A list on its way from the encoder to the checker. Barriers are held back until it shows what stands behind them.
class FaultyList final : public hal::CommandList {
 public:
  FaultyList(std::unique_ptr<hal::CommandList> inner, Planted& planted) : inner_(std::move(inner)), planted_(planted) {}

  void dispatch(const hal::Dispatch& dispatch) override {
    std::vector<hal::Access> accesses(dispatch.accesses.begin(), dispatch.accesses.end());
    if (planted_.what == Plant::kRestate && planted_.fires(Plant::kRestate)) planted_.restate(accesses);
    hal::Dispatch changed = dispatch;
    changed.accesses = accesses;
    if (recorded_ && !barrier_ && !dispatch.continued) changed.continued = planted_.fires(Plant::kFalsePiece);
    work([&] { inner_->dispatch(changed); }, !dispatch.continued);
  }
  void copy(const hal::Access& from, const hal::Access& to) override {
    work([&] { inner_->copy(from, to); }, true);
  }
  // The canary: the encoder records no other.
  void fill(const hal::Access& to, uint32_t pattern) override {
    if (barrier_ && !planted_.fires(Plant::kDropCanaryBarrier)) inner_->barrier();
    barrier_ = false;
    inner_->fill(to, pattern);
  }
  void barrier() override { barrier_ = true; }
  uint32_t timestamp() override { return kNoTimestamp; }
  std::vector<uint64_t> timestamps() const override { return {}; }
  void label(const char* name) override { inner_->label(name); }
  void reset() override { inner_->reset(); }

  hal::CommandList& inner() { return *inner_; }

 private:
  template <typename Record>
  void work(Record&& record, bool starts) {
    const bool needed = std::exchange(barrier_, false);
    const bool dropped = needed && planted_.fires(Plant::kDropBarrier);
    const bool late = needed && planted_.fires(Plant::kLateBarrier);
    const bool extra = !needed && recorded_ && starts && planted_.fires(Plant::kExtraBarrier);
    if ((needed && !dropped && !late) || extra) inner_->barrier();
    record();
    if (late) inner_->barrier();
    recorded_ = true;
  }

  std::unique_ptr<hal::CommandList> inner_;
  Planted& planted_;
  bool barrier_ = false;   // one is due
  bool recorded_ = false;  // anything at all
};

class CheckedEncoder final : public CommandBufferSink {
 public:
  static constexpr size_t kBufferBytes = 4096;

  explicit CheckedEncoder(Planted planted = {}, size_t buffers = 3) : planted_(std::move(planted)) {
    info_.max_groups = 64;
    EXPECT_EQ(device_.allocate(Encoder::kCanarySlots * 4, hal::MemoryKind::kStaging, canaries_), hal::Status::kOk);
    buffers_.resize(buffers);
    for (hal::Buffer& buffer : buffers_) {
      EXPECT_EQ(device_.allocate(kBufferBytes, hal::MemoryKind::kDevice, buffer), hal::Status::kOk);
    }
    encoder_ = std::make_unique<Encoder>(info_, *this, std::make_unique<GrowingCommandBuffers>(),
                                         TimeBudget{0.05, false}, canaries_);
  }
  ~CheckedEncoder() override {
    for (const hal::Buffer& buffer : buffers_) device_.release(buffer);
    device_.release(canaries_);
  }

  Encoder& encoder() { return *encoder_; }
  const std::vector<hal::Buffer>& buffers() const { return buffers_; }
  const hal::Kernel& kernel(const hal::KernelCode& code) { return device_.kernel(code, {}); }
  const Planted& planted() const { return planted_; }
  hal::check::Counts counts() const { return report_->counts(); }
  std::vector<hal::check::Finding> findings() const { return report_->findings(); }
  uint64_t cuts() const { return cuts_; }  // command buffers that go on with a dispatch

  // Everything up to `sequence` is seen to be done.
  void retire(uint64_t sequence) {
    if (sequence == 0) return;
    EXPECT_EQ(device_.queue().wait(sequence, std::chrono::steady_clock::now()), hal::Status::kOk);
    encoder_->retire(sequence);
    retired_ = std::max(retired_, sequence);
  }

  // gpu::CommandBufferSink
  void submit(std::unique_ptr<CommandBuffer> buffer) override {
    uint64_t after = buffer->after;
    if (after > retired_) {
      if (planted_.fires(Plant::kDropTicket)) after = 0;
      if (planted_.fires(Plant::kEarlyTicket)) after -= 1;
    }
    hal::Ticket ticket = 0;
    hal::CommandList& list = static_cast<FaultyList&>(*buffer->list).inner();
    EXPECT_EQ(device_.queue().submit(list, after, ticket), hal::Status::kOk);
    EXPECT_EQ(ticket, buffer->sequence);
    cuts_ += buffer->continues != 0 ? 1 : 0;
    submitted_ = ticket;
  }
  bool is_idle() const override { return retired_ == submitted_; }
  std::unique_ptr<hal::CommandList> take_list() override {
    return std::make_unique<FaultyList>(device_.new_command_list(), planted_);
  }

 private:
  const std::shared_ptr<hal::check::Report> report_ = std::make_shared<hal::check::Report>();
  hal::check::Device device_{hal::null::make_driver()->open("unified"), report_};
  hal::DeviceInfo info_ = device_.info();
  Planted planted_;
  hal::Buffer canaries_;
  std::vector<hal::Buffer> buffers_;
  std::unique_ptr<Encoder> encoder_;
  uint64_t submitted_ = 0;
  uint64_t retired_ = 0;
  uint64_t cuts_ = 0;
};

}  // namespace plimsoll::gpu
