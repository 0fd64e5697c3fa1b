#include "gpu/encoder.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "plimsoll/errors.h"

namespace plimsoll::gpu {
namespace {

constexpr double kDefaultBudget = 0.5;     // seconds
constexpr double kShareOfKillTime = 0.25;  // of what the system lets a command buffer live
constexpr uint32_t kCanaryPattern = 0x5EA1ED;

void add_uses(std::vector<memory::Use>& all, std::span<const memory::Use> uses) {
  for (const memory::Use& use : uses) memory::add_use(all, use);
}

// Tickets that fail stick by themselves, so each one counts, not the latest of its stream.
void add_dependence(std::vector<memory::Use>& all, memory::Use use) {
  if (use.ticket != 0 && std::find(all.begin(), all.end(), use) == all.end()) all.push_back(use);
}

}  // namespace

TimeBudget choose_budget(const hal::DeviceInfo& info) {
  TimeBudget budget{kDefaultBudget, info.type != hal::DeviceType::kSoftware};
  if (info.kill_seconds > 0) budget.seconds = std::min(budget.seconds, info.kill_seconds * kShareOfKillTime);
  return budget;
}

Encoder::Encoder(const hal::DeviceInfo& info, CommandBufferSink& sink, std::unique_ptr<SubmissionPolicy> policy,
                 TimeBudget budget, hal::Buffer canaries)
    : info_(info), sink_(sink), policy_(std::move(policy)), budget_(budget), canaries_(canaries), rates_(info) {}

uint64_t Encoder::record(LaunchPlan& plan, const OperationNote& note) {
  require_fit(plan);
  if (plan.steps().empty()) return 0;
  begin_operation(note);
  for (const LaunchPlan::Step& step : plan.steps()) record_step(plan, step, note);
  return finish_operation(dispatches_, note);
}

// One workgroup is the least that a dispatch can be cut to.
void Encoder::require_fit(const LaunchPlan& plan) const {
  if (!budget_.refuses) return;
  for (const LaunchPlan::Step& step : plan.steps()) {
    const double least = rates_.project(*step.kernel, step.cost.scaled(1.0 / static_cast<double>(step.groups)));
    if (least <= budget_.seconds) continue;
    throw LaunchBudgetError(fmt::format(
        "[{}] one workgroup of {} is projected to take {:.3g} s, more than the {:.3g} s that a command buffer may take "
        "on {}; use smaller arrays, or raise PLIMSOLL_BUFFER_SECONDS if nothing on this system ends long GPU work",
        plan.label(), step.kernel->name(), least, budget_.seconds, info_.name));
  }
}

// In as many command buffers as the budget asks for, each of them filled from its start. One may get two pieces: small
// ones are projected to take less than their share.
void Encoder::record_step(LaunchPlan& plan, const LaunchPlan::Step& step, const OperationNote& note) {
  bool continued = false;
  for (uint64_t first = 0; first < step.groups;) {
    const uint64_t left = step.groups - first;
    const uint64_t count = groups_that_fit(step, left, budget_.seconds - buffer_->projected);
    if (count < left && buffer_->dispatches > 0) {
      continue_in_next();
      continued = false;
      continue;
    }
    const Piece piece = piece_of(step, first, std::max<uint64_t>(count, 1), continued);
    if (dispatches_ == 0) note_uses(note);
    record_piece(plan, step, piece);
    first += piece.count;
    continued = true;
  }
}

Encoder::Piece Encoder::piece_of(const LaunchPlan::Step& step, uint64_t first, uint64_t count, bool continued) const {
  const hal::Cost cost = step.cost.scaled(static_cast<double>(count) / static_cast<double>(step.groups));
  return {first, count, cost, rates_.project(*step.kernel, cost), continued};
}

void Encoder::record_piece(LaunchPlan& plan, const LaunchPlan::Step& step, const Piece& piece) {
  const bool timed = info_.has_timestamps && (profiling_ || rates_.is_measurable(*step.kernel, piece.cost));
  if (!piece.continued) order(plan.accesses(step));
  const uint32_t begin = timed ? buffer_->list->timestamp() : hal::CommandList::kNoTimestamp;
  record_dispatches(plan, step, piece);
  const uint32_t end = timed ? buffer_->list->timestamp() : hal::CommandList::kNoTimestamp;
  if (end == hal::CommandList::kNoTimestamp) return;
  buffer_->timed.push_back({step.kernel, plan.label(), piece.count, piece.cost, piece.projected, begin, end});
}

// Workgroups of a step whose projection stays within `room` seconds.
uint64_t Encoder::groups_that_fit(const LaunchPlan::Step& step, uint64_t left, double room) const {
  const double share = static_cast<double>(left) / static_cast<double>(step.groups);
  const double whole = rates_.project(*step.kernel, step.cost.scaled(share));
  if (whole <= room) return left;
  uint64_t count = static_cast<uint64_t>(static_cast<double>(left) * std::max(room, 0.0) / whole);
  const auto projected = [&] {
    return rates_.project(*step.kernel,
                          step.cost.scaled(static_cast<double>(count) / static_cast<double>(step.groups)));
  };
  while (count > 0 && projected() > room) count -= std::max<uint64_t>(count / 16, 1);
  return count;
}

// Folded where it passes the device's limit of workgroups in a dispatch.
void Encoder::record_dispatches(LaunchPlan& plan, const LaunchPlan::Step& step, const Piece& piece) {
  const std::span<std::byte> parameters = plan.parameters(step);
  hal::Dispatch dispatch;
  dispatch.kernel = step.kernel;
  dispatch.parameters = parameters;
  dispatch.accesses = plan.accesses(step);
  dispatch.label = plan.label();
  for (uint64_t done = 0; done < piece.count; done += dispatch.groups) {
    dispatch.groups = static_cast<uint32_t>(std::min<uint64_t>(piece.count - done, info_.max_groups));
    dispatch.cost = step.cost.scaled(static_cast<double>(dispatch.groups) / static_cast<double>(step.groups));
    dispatch.continued = piece.continued || done > 0;
    const uint32_t first = static_cast<uint32_t>(piece.first + done);
    std::memcpy(parameters.data(), &first, sizeof(first));
    buffer_->list->dispatch(dispatch);
    ++buffer_->dispatches;
    ++dispatches_;
  }
  buffer_->projected += piece.projected;
}

void Encoder::order(std::span<const hal::Access> accesses) {
  CommandBuffer& buffer = open();
  const HazardTracker::Order needed = hazards_.check(accesses);
  if (needed.after > buffer.after) {
    buffer.after = needed.after;
    hazards_.start_after(needed.after);
  }
  if (needed.barrier) {
    buffer.list->barrier();
    hazards_.barrier();
  }
  hazards_.record(accesses);
}

uint64_t Encoder::copy(const hal::Access& from, const hal::Access& to, const char* label, const OperationNote& note) {
  begin_operation(note);
  note_uses(note);
  const hal::Access both[] = {from, to};
  order(both);
  buffer_->list->label(label);
  buffer_->list->copy(from, to);
  ++buffer_->dispatches;
  return finish_operation(1, note);
}

uint64_t Encoder::finish_operation(uint32_t dispatches, const OperationNote& note) {
  const uint64_t sequence = open_sequence();
  if (policy_->add(dispatches, note.arrays, note.new_buffers) || note.alone) commit();
  return sequence;
}

CommandBuffer& Encoder::open() {
  if (buffer_ == nullptr) {
    auto fresh = std::make_unique<CommandBuffer>();
    fresh->list = sink_.take_list();
    fresh->sequence = hazards_.open();
    buffer_ = std::move(fresh);
  }
  return *buffer_;
}

// What it waits for on the host may itself wait for the open command buffer, which therefore goes first.
void Encoder::begin_operation(const OperationNote& note) {
  if (!note.host_waits.empty() || note.alone) commit();
  open();
  dispatches_ = 0;
  continues_ = 0;
}

// Later pieces fail with the earlier ones: what these wrote may be what those read.
void Encoder::continue_in_next() {
  if (dispatches_ > 0) continues_ = buffer_->sequence;
  commit();
  open();
  dispatches_ = 0;
}

// Before the operation's first dispatch in a command buffer, so that no other fails for its inputs.
void Encoder::note_uses(const OperationNote& note) {
  buffer_->continues = std::max(buffer_->continues, continues_);
  add_uses(buffer_->host_waits, note.host_waits);
  for (const memory::Use& use : note.depends) add_dependence(buffer_->depends, use);
}

void Encoder::commit() {
  if (buffer_ == nullptr || buffer_->dispatches == 0) return;
  // The canary's write comes after everything else that the command buffer does.
  buffer_->list->barrier();
  buffer_->canary = static_cast<uint32_t>(buffer_->sequence) ^ kCanaryPattern;
  const uint64_t slot = canaries_.address + (buffer_->sequence % kCanarySlots) * sizeof(uint32_t);
  buffer_->list->fill({{slot, sizeof(uint32_t), sizeof(uint32_t), 1}, hal::AccessKind::kWrite, canaries_.address},
                      buffer_->canary);
  const bool was_idle = sink_.is_idle();
  hazards_.commit();
  sink_.submit(std::move(buffer_));
  policy_->committed(was_idle);
}

}  // namespace plimsoll::gpu
