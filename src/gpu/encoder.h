// Turns staged operations into command buffers: the time budget says whether a dispatch fits the open one, the hazard
// tracker whether a barrier comes first, the submission policy whether to commit after.
//
// One encoder a device; every stream of the device records here, in encode order. Hazards alone order its dispatches,
// so independent work of any stream overlaps. Guarded by the scheduling lock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gpu/command_buffer.h"
#include "gpu/hazards.h"
#include "gpu/launch_plan.h"
#include "gpu/rates.h"
#include "gpu/submission_policy.h"
#include "hal/buffer.h"
#include "hal/device_info.h"
#include "memory/use.h"

namespace plimsoll::gpu {

// Seconds that a command buffer may be projected to take.
struct TimeBudget {
  double seconds = 0.5;
  // Whether work that cannot be cut to fit is refused. Software devices, which nothing kills, only cut.
  bool refuses = true;
};

// 0.5 s, or a quarter of what the system lets live where that is less.
TimeBudget choose_budget(const hal::DeviceInfo& info);

// What the runtime knows of an operation besides its launches.
struct OperationNote {
  std::span<const memory::Use> host_waits;  // work of other queues that is not done yet
  std::span<const memory::Use> depends;     // what made the inputs
  std::span<const TouchedArray> arrays;
  bool new_buffers = false;
  // Gets command buffers of its own: its inputs have failed, and so will every command buffer with a part of it.
  bool alone = false;
};

class Encoder {
 public:
  static constexpr uint32_t kCanarySlots = 1024;  // command buffers in flight at most

  // `canaries`: kCanarySlots words that the device writes and the host reads.
  Encoder(const hal::DeviceInfo& info, CommandBufferSink& sink, std::unique_ptr<SubmissionPolicy> policy,
          TimeBudget budget, hal::Buffer canaries);

  RateTable& rates() { return rates_; }

  // Timestamps around every dispatch, for profiles.
  void set_profiling(bool on) { profiling_ = on; }

  // Records the launches of one operation. Returns the sequence of the command buffer that is done when all of them
  // are; 0 when there was nothing to record. Throws LaunchBudgetError before anything was recorded.
  uint64_t record(LaunchPlan& plan, const OperationNote& note);

  // Records a copy between buffers of the device. Returns the same.
  uint64_t copy(const hal::Access& from, const hal::Access& to, const char* label, const OperationNote& note);

  // Closes the open command buffer and sends it; nothing when it is empty.
  void commit();

  // The sequence that work recorded now gets, and the last one committed.
  uint64_t open_sequence() const { return hazards_.open(); }
  uint64_t committed_sequence() const { return hazards_.open() - 1; }

  // Everything up to `sequence` is done.
  void retire(uint64_t sequence) { hazards_.retire(sequence); }

 private:
  struct Piece {
    uint64_t first, count;  // workgroups
    hal::Cost cost;
    double projected;
    bool continued;  // the piece before it is in the same command buffer
  };

  void require_fit(const LaunchPlan& plan) const;
  void record_step(LaunchPlan& plan, const LaunchPlan::Step& step, const OperationNote& note);
  uint64_t groups_that_fit(const LaunchPlan::Step& step, uint64_t left, double room) const;
  Piece piece_of(const LaunchPlan::Step& step, uint64_t first, uint64_t count, bool continued) const;
  void record_piece(LaunchPlan& plan, const LaunchPlan::Step& step, const Piece& piece);
  void record_dispatches(LaunchPlan& plan, const LaunchPlan::Step& step, const Piece& piece);
  void order(std::span<const hal::Access> accesses);
  CommandBuffer& open();
  void begin_operation(const OperationNote& note);
  void continue_in_next();
  void note_uses(const OperationNote& note);
  uint64_t finish_operation(uint32_t dispatches, const OperationNote& note);

  const hal::DeviceInfo& info_;
  CommandBufferSink& sink_;
  std::unique_ptr<SubmissionPolicy> policy_;
  const TimeBudget budget_;
  const hal::Buffer canaries_;
  RateTable rates_;
  HazardTracker hazards_;
  std::unique_ptr<CommandBuffer> buffer_;  // open; null: none
  uint32_t dispatches_ = 0;                // of the operation being recorded, in the open command buffer
  uint64_t continues_ = 0;                 // the sequence with earlier pieces of it; 0: none
  bool profiling_ = false;
};

}  // namespace plimsoll::gpu
