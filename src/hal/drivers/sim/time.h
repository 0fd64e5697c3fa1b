// Moments and lengths of virtual time: nanoseconds since the device was opened.
#pragma once

#include <cmath>
#include <cstdint>

namespace plimsoll::hal::sim {

using Time = uint64_t;
inline constexpr Time kNever = UINT64_MAX;

// a + b; kNever when either is, or past the end of time.
constexpr Time sum(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

inline Time from_seconds(double seconds) { return static_cast<Time>(std::llround(seconds * 1e9)); }
constexpr double to_seconds(Time time) { return static_cast<double>(time) * 1e-9; }

}  // namespace plimsoll::hal::sim
