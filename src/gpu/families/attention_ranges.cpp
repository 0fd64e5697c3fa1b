#include "gpu/families/attention_ranges.h"

#include <algorithm>

namespace plimsoll::gpu::attention {
namespace {

// States the output rows of queries [first, last), which lie side by side in each member of the batch.
uint64_t write_range(const Problem& p, Launch& launch, uint64_t first, uint64_t last) {
  if (first == 0 && last == p.queries()) return launch.writes(p.out);
  const uint64_t item = p.out.dtype.size(), row = p.heads() * p.value_dim() * item;
  launch.accesses(p.out, {address_of(p.out) + first * row, (last - first) * row, p.queries() * row, p.batch()},
                  hal::AccessKind::kWrite);
  return address_of(p.out);
}

}  // namespace

void launch_ranges(const Problem& p, Task& task, const hal::KernelCode& code, std::span<const uint32_t> constants,
                   uint64_t tile) {
  const uint64_t step = p.causal ? kRangeQueries : p.queries();
  for (uint64_t range = groups_for(p.queries(), step); range-- > 0;) {
    const uint64_t first = range * step, last = std::min(first + step, p.queries());
    Launch launch(task, code, constants);
    Parameters parameters = parameters_of(p);
    parameters.first_query = static_cast<uint32_t>(first);
    parameters.tiles = static_cast<uint32_t>(groups_for(last - first, tile));
    read_inputs(p, launch, parameters);
    parameters.out = write_range(p, launch, first, last);
    launch.run(parameters, parameters.tiles * p.batch() * p.heads(), cost_of(p, first, last));
  }
}

}  // namespace plimsoll::gpu::attention
