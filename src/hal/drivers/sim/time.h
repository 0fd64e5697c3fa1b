// Moments and lengths of virtual time: nanoseconds since the device was opened.
#pragma once

#include <cstdint>

namespace plimsoll::hal::sim {

using Time = uint64_t;
inline constexpr Time kNever = UINT64_MAX;

// a + b; kNever when either is, or past the end of time.
constexpr Time sum(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

constexpr Time from_seconds(double seconds) { return static_cast<Time>(seconds * 1e9 + 0.5); }
constexpr double to_seconds(Time time) { return static_cast<double>(time) * 1e-9; }

}  // namespace plimsoll::hal::sim
