#include "memory/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "memory/system_probe.h"

namespace plimsoll::memory {

namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kGiB = size_t{1} << 30;
constexpr size_t kSystemReserve = 2 * kGiB;   // of what is available at start, left to others
constexpr size_t kGroupReserve = 256 * kMiB;  // of a control group, left to code, stacks and heap
constexpr size_t kLeastLimit = 64 * kMiB;

size_t minus(size_t bytes, size_t reserve) noexcept { return bytes > reserve ? bytes - reserve : 0; }

}  // namespace

size_t static_ceiling(size_t ram) noexcept {
  if (ram <= 32 * kGiB) return std::max(minus(ram, 4 * kGiB), ram / 2);
  const size_t above = ram - 32 * kGiB;
  return 28 * kGiB + above / 20 * 19;
}

size_t default_memory_limit(const SystemProbe& probe) {
  size_t limit = static_ceiling(probe.ram());
  if (const auto available = probe.available()) limit = std::min(limit, minus(*available, kSystemReserve));
  if (const auto group = probe.group_limit()) limit = std::min(limit, minus(*group, kGroupReserve));
  return std::max(limit, kLeastLimit);
}

ChosenLimits choose_limits(const SystemProbe& probe, std::optional<size_t> explicit_limit) {
  const size_t usual = default_memory_limit(probe);
  ChosenLimits chosen;
  chosen.limits.memory = explicit_limit.value_or(usual);
  if (chosen.limits.memory > usual) {
    chosen.warning = fmt::format(
        "the memory limit of {} is above {}, which is what this machine can give now: the system may swap or end the "
        "process before the limit refuses",
        base::format_bytes(chosen.limits.memory), base::format_bytes(usual));
  }
  return chosen;
}

}  // namespace plimsoll::memory
