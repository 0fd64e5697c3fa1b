// Launches of many queries in ranges: under causality the work of a workgroup grows with its queries, and a launch
// states one cost for all of its workgroups.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/families/attention_problem.h"

namespace plimsoll::gpu::attention {

// Queries of one launch under causality: a multiple of every kernel's tile, so that ranges do not change a result.
inline constexpr uint64_t kRangeQueries = 1024;

// Runs a kernel that takes tiles of `tile` queries of a head, the ranges with the most keys first.
void launch_ranges(const Problem& p, Task& task, const hal::KernelCode& code, std::span<const uint32_t> constants,
                   uint64_t tile);

}  // namespace plimsoll::gpu::attention
