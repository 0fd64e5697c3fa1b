#include "hal/check/order.h"

#include <algorithm>
#include <utility>

namespace plimsoll::hal::check {
namespace {

constexpr uint64_t kSweepEvery = 64;  // lists
constexpr size_t kNone = SIZE_MAX;

bool ends_with_canary(std::span<const Command> commands) {
  return commands.size() > 1 && commands.back().kind == Command::Kind::kFill &&
         commands.back().accesses[0].region.row_bytes == sizeof(uint32_t);
}

}  // namespace

void OrderJudge::judge(std::span<const Command> commands, Ticket ticket, Ticket after, Ticket seen) {
  const std::lock_guard lock(mutex_);
  const List list = lay_out(commands, ticket);
  const bool canary = ends_with_canary(commands);
  if (canary) judge_canary(commands, ticket);
  judge_within(list, canary ? commands.size() - 2 : kNone);
  judge_before(list, after, seen);
  remember(list, seen);
  Counts counts;
  counts.lists = 1;
  for (const Command& command : commands) ++(command.is_barrier() ? counts.barriers : counts.commands);
  report_.count(counts);
}

// A barrier right behind another begins nothing.
OrderJudge::List OrderJudge::lay_out(std::span<const Command> commands, Ticket ticket) {
  List list;
  size_t work = 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    if (command.is_barrier()) {
      const bool repeated = i > 0 && commands[i - 1].is_barrier();
      repeated ? report_barrier(ticket, i) : list.barriers.push_back(i);
      continue;
    }
    const bool piece = command.continued && i > 0 && continues(command, commands[i - 1]);
    if (!piece) work = i;
    const Place place{{}, 0, ticket, i, command.name(), command.label, work, list.barriers.size()};
    if (command.continued && !piece) report(Fault::kFalseContinuation, place);
    add_places(command, place, list);
  }
  return list;
}

void OrderJudge::add_places(const Command& command, Place place, List& list) {
  for (const Access& access : command.accesses) {
    if (access.region.empty()) continue;
    place.access = access;
    const auto known = buffers_.find(access.region);
    if (!known) {
      report(Fault::kOutsideBuffer, place);
      continue;
    }
    place.buffer = known->buffer.address;
    list.places.push_back(place);
  }
}

void OrderJudge::judge_canary(std::span<const Command> commands, Ticket ticket) {
  const Command& canary = commands.back();
  if (commands[commands.size() - 2].is_barrier()) return;
  const size_t index = commands.size() - 1;
  report(Fault::kUnorderedCanary, {canary.accesses[0], 0, ticket, index, canary.name(), canary.label, index, 0});
}

// Each command against those of its own epoch, which must not conflict, and, until its barrier is shown to be needed,
// against those of the epoch before.
void OrderJudge::judge_within(const List& list, size_t exempt) {
  std::vector<bool> needed(list.barriers.size() + 1, false);
  size_t reported = kNone;
  for (size_t i = 0; i < list.places.size(); ++i) {
    const Place& place = list.places[i];
    for (size_t j = i; j-- > 0;) {
      const Place& earlier = list.places[j];
      const bool same = earlier.epoch == place.epoch;
      if (!same && (needed[place.epoch] || earlier.epoch + 1 < place.epoch)) break;
      if (earlier.work == place.work || !conflict(earlier, place)) continue;
      if (!same) {
        needed[place.epoch] = true;
      } else if (reported != place.index) {
        report(Fault::kMissingBarrier, place, earlier);
        reported = place.index;
      }
    }
  }
  for (size_t i = 0; i < list.barriers.size(); ++i) {
    if (needed[i + 1] || list.barriers[i] == exempt) continue;
    report_barrier(list.places.empty() ? 0 : list.places[0].list, list.barriers[i]);
  }
}

// Against what may still have been running when the list was sent.
void OrderJudge::judge_before(const List& list, Ticket after, Ticket seen) {
  Ticket latest = 0;  // that the list conflicts with, up to `after`
  size_t reported = kNone;
  for (const Place& place : list.places) {
    const auto found = past_.find(place.buffer);
    if (found == past_.end()) continue;
    for (const Place& earlier : found->second) {
      if (earlier.list <= seen || !conflict(earlier, place)) continue;
      if (earlier.list <= after) {
        latest = std::max(latest, earlier.list);
      } else if (reported != place.index) {
        report(Fault::kMissingTicket, place, earlier);
        reported = place.index;
      }
    }
  }
  if (after <= seen) return;
  Counts counts;
  counts.waits = 1;
  counts.needless_waits = latest < after ? 1 : 0;
  report_.count(counts);
}

void OrderJudge::remember(const List& list, Ticket seen) {
  for (const Place& place : list.places) past_[place.buffer].push_back(place);
  if (++lists_until_sweep_ < kSweepEvery) return;
  lists_until_sweep_ = 0;
  for (auto buffer = past_.begin(); buffer != past_.end();) {
    std::erase_if(buffer->second, [&](const Place& place) { return place.list <= seen; });
    buffer = buffer->second.empty() ? past_.erase(buffer) : std::next(buffer);
  }
}

void OrderJudge::forget(uint64_t buffer) {
  const std::lock_guard lock(mutex_);
  past_.erase(buffer);
}

bool OrderJudge::conflict(const Place& a, const Place& b) {
  return a.buffer == b.buffer && (a.access.writes() || b.access.writes()) && overlap(a.access.region, b.access.region);
}

Site OrderJudge::site_of(const Place& place) {
  return {place.list, place.index, place.kernel, place.label, place.access};
}

void OrderJudge::report(Fault fault, const Place& place) { report_.add({fault, site_of(place), {}, 0}); }

void OrderJudge::report(Fault fault, const Place& place, const Place& earlier) {
  report_.add({fault, site_of(place), site_of(earlier), 0});
}

void OrderJudge::report_barrier(Ticket list, size_t index) {
  report_.add({Fault::kNeedlessBarrier, {list, index, "barrier", "", {}}, {}, 0});
}

}  // namespace plimsoll::hal::check
