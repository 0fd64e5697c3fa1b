#include "hal/check/statements.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "plimsoll/errors.h"

namespace plimsoll::hal::check {
namespace {

constexpr std::byte kPoison{0xFF};
constexpr size_t kChunk = 4096;  // bytes compared at once
constexpr auto kPatience = std::chrono::minutes(10);

template <typename F>
void for_each_row(const Region& region, const Buffer& buffer, F&& f) {
  for (uint64_t i = 0; !region.empty() && i < region.rows; ++i) {
    f(static_cast<size_t>(region.address + i * region.row_stride - buffer.address), size_t{region.row_bytes});
  }
}

bool lies_in(const Region& region, const Buffer& buffer) {
  return region.address >= buffer.address && region.end() <= buffer.address + buffer.bytes;
}

// Calls f with the offset of each byte that differs, until it returns false.
template <typename F>
void for_each_difference(const std::byte* a, const std::byte* b, size_t bytes, F&& f) {
  for (size_t begin = 0; begin < bytes; begin += kChunk) {
    const size_t end = std::min(begin + kChunk, bytes);
    if (std::memcmp(a + begin, b + begin, end - begin) == 0) continue;
    for (size_t i = begin; i < end; ++i) {
      if (a[i] != b[i] && !f(i)) return;
    }
  }
}

// The command at `first` with the pieces that follow it.
size_t pieces_at(std::span<const Command> commands, size_t first) {
  size_t end = first + 1;
  while (end < commands.size() && commands[end].continued && continues(commands[end], commands[first])) ++end;
  return end - first;
}

uint32_t first_group(const Command& dispatch) {
  uint32_t first = 0;
  if (dispatch.parameters.size() >= sizeof first) std::memcpy(&first, dispatch.parameters.data(), sizeof first);
  return first;
}

bool is_dispatch(const Command& command) { return command.kind == Command::Kind::kDispatch; }

void record(const Command& command, CommandList& list) {
  switch (command.kind) {
    case Command::Kind::kDispatch:
      list.dispatch({command.kernel, command.parameters, command.groups, command.accesses, command.cost, command.label,
                     command.continued});
      break;
    case Command::Kind::kCopy:
      list.copy(command.accesses[0], command.accesses[1]);
      break;
    case Command::Kind::kFill:
      list.fill(command.accesses[0], command.pattern);
      break;
    case Command::Kind::kBarrier:
      break;
  }
}

}  // namespace

Status StatementProver::run(std::span<const Command> commands, Ticket list) {
  size_t last_dispatch = commands.size();
  while (last_dispatch > 0 && !is_dispatch(commands[last_dispatch - 1])) --last_dispatch;
  for (size_t i = 0; i < commands.size();) {
    const Command& command = commands[i];
    const size_t count = is_dispatch(command) ? pieces_at(commands, i) : 1;
    const std::span<const Command> pieces = commands.subspan(i, count);
    const size_t index = i;
    i += count;
    if (command.is_barrier()) continue;
    Proof proof{pieces, {list, index, command.name(), command.label, {}}, false, {}};
    proof.may_be_cut = i == last_dispatch || first_group(command) != 0;
    const Status status = is_dispatch(command) ? prove(proof) : run_alone(pieces);
    if (status != Status::kOk) return status;
  }
  return Status::kOk;
}

Status StatementProver::prove(Proof& proof) {
  const bool provable = take_snapshots(proof);
  Counts counts;
  ++(provable ? counts.statements : counts.unproven);
  report_.count(counts);
  const Status first = run_alone(proof.pieces);
  if (first != Status::kOk || !provable) return first;
  for (Snapshot& snapshot : proof.snapshots) {
    snapshot.after.assign(snapshot.buffer.host, snapshot.buffer.host + snapshot.buffer.bytes);
  }
  judge_writes(proof);
  const Status status = repeat(proof);
  for (const Snapshot& snapshot : proof.snapshots) {
    std::memcpy(snapshot.buffer.host, snapshot.after.data(), snapshot.after.size());
  }
  return status;
}

Status StatementProver::repeat(Proof& proof) {
  poison(proof);
  const Status status = run_alone(proof.pieces);
  if (status == Status::kOk) judge_reads(proof);
  return status;
}

Status StatementProver::run_alone(std::span<const Command> pieces) {
  try {
    if (list_ == nullptr) list_ = device_.new_command_list();
  } catch (const DeviceError&) {
    return Status::kLost;
  }
  for (const Command& piece : pieces) record(piece, *list_);
  const Ticket before = last_;
  Status status = device_.queue().submit(*list_, before, last_);
  if (status == Status::kOk) status = device_.queue().wait(last_, std::chrono::steady_clock::now() + kPatience);
  if (status == Status::kOk) {
    list_->reset();
  } else {
    [[maybe_unused]] const hal::CommandList* const kept = list_.release();  // the device may still be at it
  }
  return status;
}

// False when some of what the dispatch touches is not the host's to look at and to change.
bool StatementProver::take_snapshots(Proof& proof) const {
  for (const Access& access : proof.pieces[0].accesses) {
    if (access.region.empty()) continue;
    const auto known = buffers_.find(access.region);
    if (!known) return false;
    const bool visible = known->buffer.host != nullptr && !known->imported;
    if (!visible && access.writes()) return false;
    if (!visible) continue;
    auto same = std::find_if(proof.snapshots.begin(), proof.snapshots.end(),
                             [&](const Snapshot& s) { return s.buffer.address == known->buffer.address; });
    if (same == proof.snapshots.end()) {
      const Buffer& buffer = known->buffer;
      same = proof.snapshots.insert(same, {buffer, {buffer.host, buffer.host + buffer.bytes}, {}, {}});
      same->written.assign(buffer.bytes, false);
    }
    if (!access.writes()) continue;
    for_each_row(access.region, same->buffer, [&](size_t offset, size_t bytes) {
      std::fill_n(same->written.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
    });
  }
  return true;
}

void StatementProver::judge_writes(const Proof& proof) {
  for (const Snapshot& snapshot : proof.snapshots) {
    for_each_difference(snapshot.before.data(), snapshot.after.data(), snapshot.before.size(), [&](size_t offset) {
      if (snapshot.written[offset]) return true;
      report(Fault::kWritesOutside, proof, snapshot.buffer, offset);
      return false;
    });
  }
}

// Everything but the stated reads.
void StatementProver::poison(const Proof& proof) {
  for (const Snapshot& snapshot : proof.snapshots) {
    std::memset(snapshot.buffer.host, static_cast<int>(kPoison), snapshot.buffer.bytes);
    for (const Access& access : proof.pieces[0].accesses) {
      if (!access.reads() || access.region.empty() || !lies_in(access.region, snapshot.buffer)) continue;
      for_each_row(access.region, snapshot.buffer, [&](size_t offset, size_t bytes) {
        std::memcpy(snapshot.buffer.host + offset, snapshot.before.data() + offset, bytes);
      });
    }
  }
}

// Bytes that kept their old value in the first run and the poison in the second were written in neither, unless others
// show that the results depend on the poison.
void StatementProver::judge_reads(const Proof& proof) {
  for (const Snapshot& snapshot : proof.snapshots) {
    const std::byte* const again = snapshot.buffer.host;
    std::optional<size_t> gap, wrong;
    for_each_difference(snapshot.after.data(), again, snapshot.after.size(), [&](size_t offset) {
      if (!snapshot.written[offset]) return true;
      const bool kept = snapshot.after[offset] == snapshot.before[offset] && again[offset] == kPoison;
      std::optional<size_t>& first = kept ? gap : wrong;
      if (!first) first = offset;
      return !wrong;
    });
    if (wrong) {
      report(Fault::kReadsOutside, proof, snapshot.buffer, *wrong);
    } else if (gap && !proof.may_be_cut) {
      report(Fault::kLeavesGaps, proof, snapshot.buffer, *gap);
    }
  }
}

void StatementProver::report(Fault fault, const Proof& proof, const Buffer& buffer, size_t offset) {
  Finding finding{fault, proof.site, {}, buffer.address + offset};
  const Region byte{finding.byte, 1, 1, 1};
  for (const Access& access : proof.pieces[0].accesses) {
    if (access.writes() && overlap(access.region, byte)) finding.site.access = access;
  }
  report_.add(std::move(finding));
}

}  // namespace plimsoll::hal::check
