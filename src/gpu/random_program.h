// For tests: programs of staged launches on a few shared buffers, drawn from a seed: aliasing views, rows, updates in
// place, dispatches that are folded and cut, copies, commits, and command buffers that are seen to be done.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "gpu/checked_encoder.h"
#include "gpu/launch_plan.h"

namespace plimsoll::gpu {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  // Records `operations` operations and commits the last of them.
  void run(CheckedEncoder& target, int operations) {
    for (int i = 0; i < operations; ++i) {
      const uint64_t choice = below(20);
      if (choice == 0) {
        target.encoder().commit();
      } else if (choice == 1) {
        target.retire(below(target.encoder().committed_sequence() + 1));
      } else if (choice < 5) {
        copy(target);
      } else {
        operation(target);
      }
    }
    target.encoder().commit();
  }

 private:
  // A home is half a buffer, as a span of a slab is a part of its block.
  static constexpr uint64_t kHomeBytes = CheckedEncoder::kBufferBytes / 2;
  static constexpr uint64_t kGrain = 16;  // bytes

  uint64_t below(uint64_t limit) { return random_() % limit; }

  hal::Access access(CheckedEncoder& target) {
    const hal::Buffer& buffer = target.buffers()[below(target.buffers().size())];
    const uint64_t home = buffer.address + below(2) * kHomeBytes;
    constexpr hal::AccessKind kKinds[] = {hal::AccessKind::kRead, hal::AccessKind::kRead, hal::AccessKind::kWrite,
                                          hal::AccessKind::kReadWrite};
    return {region_in(home), kKinds[below(4)], home};
  }

  // Few different ones, so that programs meet the same again.
  hal::Region region_in(uint64_t home) {
    const uint64_t rows = below(3) == 0 ? 1 + below(6) : 1;
    const uint64_t row = (1 + below(4)) * kGrain;
    const uint64_t stride = rows == 1 ? row : row + below(4) * kGrain;
    const uint64_t room = kHomeBytes - ((rows - 1) * stride + row);
    return {home + below(room / kGrain / 8 + 1) * kGrain * 8, row, stride, rows};
  }

  void operation(CheckedEncoder& target) {
    static constexpr hal::KernelCode kCodes[] = {{"add", {}, 0}, {"scale", {}, 0}, {"sum", {}, 0}};
    plan_.begin("Random");
    const uint64_t steps = 1 + below(3);
    for (uint64_t i = 0; i < steps; ++i) {
      const uint32_t parameters[4] = {};
      std::vector<hal::Access> accesses;
      for (uint64_t n = 1 + below(4); n > 0; --n) accesses.push_back(access(target));
      // Most dispatches are short; some take several command buffers.
      const double bytes = below(16) == 0 ? 2e7 : 1e4;
      plan_.add(target.kernel(kCodes[below(3)]), std::as_bytes(std::span(parameters)), 1 + below(200), accesses,
                {0, bytes});
    }
    target.encoder().record(plan_, {.host_waits = {}, .depends = {}, .arrays = {}, .new_buffers = below(8) == 0});
  }

  void copy(CheckedEncoder& target) {
    hal::Access from = access(target), to = access(target);
    while (from.home == to.home) to = access(target);
    from.kind = hal::AccessKind::kRead;
    to.kind = hal::AccessKind::kWrite;
    const uint64_t bytes = std::min(from.region.row_bytes, to.region.row_bytes);
    from.region = {from.region.address, bytes, bytes, 1};
    to.region = {to.region.address, bytes, bytes, 1};
    target.encoder().copy(from, to, "Copy", {});
  }

  std::mt19937_64 random_;
  LaunchPlan plan_;
};

}  // namespace plimsoll::gpu
