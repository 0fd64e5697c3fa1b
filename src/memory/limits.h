// The limits of a pool and their defaults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::memory {

class SystemProbe;

// SIZE_MAX: none.
struct Limits {
  size_t memory = SIZE_MAX;   // hard: active + mapped, and with cache and returning bytes the whole pool
  size_t cache = SIZE_MAX;    // bytes kept for reuse
  size_t wired = 0;           // bytes kept resident
  size_t objects = SIZE_MAX;  // driver allocations
};

// What a machine with `ram` bytes can give to one job at most: up to 32 GiB max(ram - 4 GiB, ram / 2), above that
// 28 GiB + 0.95 x (ram - 32 GiB).
size_t static_ceiling(size_t ram) noexcept;

// The default limit on system memory: min(static ceiling, available - 2 GiB, cgroup limit - 256 MiB), at least 64 MiB.
size_t default_memory_limit(const SystemProbe& probe);

struct ChosenLimits {
  Limits limits;
  std::string warning;  // empty, or why the explicit limit may be more than the machine can give
};

// Limits for a pool of system memory. An explicit limit is taken as given, with a warning above the default.
ChosenLimits choose_limits(const SystemProbe& probe, std::optional<size_t> explicit_limit);

}  // namespace plimsoll::memory
