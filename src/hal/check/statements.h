// Proves what dispatches state, on devices whose memory the host sees: runs each command alone and looks at the bytes.
//
// A dispatch runs twice. After the first run the bytes outside its stated writes must be as they were. For the second
// everything in the buffers that it touches is filled with 0xFF (a NaN in every float type, -1 in the integers), apart
// from its stated reads; the bytes of its stated writes must come out the same.
//
// Nothing else may touch these buffers meanwhile, the host included: a program under proof computes on one thread, on
// the device alone. Pieces of one dispatch run together. One that was cut between two lists writes only part of what it
// states; that is seen by its place, so gaps in the last dispatch of a list, and in one whose first workgroup is not 0,
// are let pass.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hal/check/buffers.h"
#include "hal/check/command.h"
#include "hal/check/report.h"
#include "hal/device.h"

namespace plimsoll::hal::check {

// Whether the device's statements can be proven.
inline bool can_prove(const DeviceInfo& info) { return info.makes_values && info.unified; }

// Guarded by the queue's order of submissions.
class StatementProver {
 public:
  // All outlive the prover.
  StatementProver(Device& device, const Buffers& buffers, Report& report)
      : device_(device), buffers_(buffers), report_(report) {}

  // Does what the list says, one command after another, and waits for it.
  Status run(std::span<const Command> commands, Ticket list);

 private:
  // A buffer that a dispatch touches, with its bytes before and after the first run.
  struct Snapshot {
    Buffer buffer;
    std::vector<std::byte> before, after;
    std::vector<bool> written;  // per byte: whether it is stated
  };
  struct Proof {
    std::span<const Command> pieces;
    Site site;
    bool may_be_cut;
    std::vector<Snapshot> snapshots;
  };

  Status prove(Proof& proof);
  Status repeat(Proof& proof);
  Status run_alone(std::span<const Command> pieces);
  bool take_snapshots(Proof& proof) const;
  void judge_writes(const Proof& proof);
  static void poison(const Proof& proof);
  void judge_reads(const Proof& proof);
  void report(Fault fault, const Proof& proof, const Buffer& buffer, size_t offset);

  Device& device_;
  const Buffers& buffers_;
  Report& report_;
  std::unique_ptr<CommandList> list_;
  Ticket last_ = 0;
};

}  // namespace plimsoll::hal::check
