#include <algorithm>

#include "gpu/families/attention_launches.h"
#include "gpu/families/attention_ranges.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu::attention {
namespace {

// Sums that an invocation of attention_tiles.comp holds: registers.
constexpr uint64_t kHeldSums = 64;
// Shared memory of attention_tiles.comp with `rows` rows an invocation.
uint64_t tile_bytes(uint64_t rows, uint64_t dim) {
  const uint64_t queries = 16 * rows;
  return queries * (dim / 4 + 1) * 16 + 32 * 9 * 16 + queries * 9 * 16 + queries * 4 + 128 * 4;
}

// Rows that an invocation of attention_tiles.comp takes; 0: the kernel does not take the problem.
uint64_t tile_rows(const Problem& p, const hal::DeviceInfo& device) {
  const uint64_t dim = round_up(p.dim(), 32), value_dim = round_up(p.value_dim(), 32);
  if (p.is_float64() || value_dim > 256) return 0;
  for (uint64_t rows = 4; rows > 0; rows /= 2) {
    const bool fits = tile_bytes(rows, dim) <= device.shared_memory_bytes && rows * value_dim / 8 <= kHeldSums;
    if (fits && (rows == 1 || 8 * rows < p.queries())) return rows;
  }
  return 0;
}

}  // namespace

bool tiles_take(const Problem& p, const hal::DeviceInfo& device) { return tile_rows(p, device) > 0; }

void launch_tiles(const Problem& p, Task& task) {
  const uint64_t rows = tile_rows(p, task.device);
  const uint32_t constants[] = {dtype_code(p.out.dtype),
                                has_whole_packets(p),
                                p.mask_kind(),
                                static_cast<uint32_t>(rows),
                                static_cast<uint32_t>(round_up(p.dim(), 32)),
                                static_cast<uint32_t>(round_up(p.value_dim(), 32))};
  launch_ranges(p, task, kernels::attention_tiles_float, constants, 16 * rows);
}

}  // namespace plimsoll::gpu::attention
