// The work of kernels/copy/copy_rows.comp: a copy as runs of bytes along strided axes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/launch.h"

namespace plimsoll::gpu {

// Two layouts of one shape, in bytes: runs that are dense on both sides, along as few axes as they allow.
struct Runs {
  SmallVector<int64_t> sizes;  // outermost first
  Strides source, target;      // bytes
  uint64_t bytes = 1;          // of a run

  uint64_t count() const;
  // The largest power of two, up to `limit`, that divides the run, all strides, and `addresses` (or-ed together).
  uint32_t unit(uint64_t addresses, uint32_t limit) const;
};

// Strides in elements of `item` bytes.
Runs runs_of(const Shape& shape, const Strides& source, const Strides& target, size_t item);

// If the innermost runs repeat one element of the source over a dense row of the target, makes that row the run and
// returns the element's bytes; else 0.
uint32_t take_splat(Runs& runs, size_t item, uint64_t addresses);

// Invocations that share a run, and workgroups that do.
struct RunSharing {
  uint32_t lanes;
  uint32_t chunks;
  uint64_t groups;  // in all
};
RunSharing share_runs(uint64_t run_bytes, uint64_t runs);

// What copy_rows.comp calls chunks ... to_strides, member for member.
template <size_t N>
struct RunWork {
  static constexpr size_t kAxes = N;
  uint32_t chunks = 1;
  uint32_t axes = 0;
  uint64_t from = 0, to = 0;
  uint64_t run = 0, runs = 0;
  uint64_t sizes[N] = {};
  int64_t from_strides[N] = {}, to_strides[N] = {};
};

// Runs too deep for a kernel's axes, cut into blocks that are not: the host walks the outermost axes.
class RunBlocks {
 public:
  RunBlocks(const Runs& runs, size_t axes);

  int64_t count() const { return count_; }
  // Bytes from the first run to the block's first.
  int64_t source_offset(int64_t block) const { return offset(block, runs_.source); }
  int64_t target_offset(int64_t block) const { return offset(block, runs_.target); }

  // Everything but the addresses, from axis `first` of the work on; the axes before it have `outer` positions.
  template <size_t N>
  void fill(RunWork<N>& work, size_t first = 0, uint64_t outer = 1) const {
    work.axes = static_cast<uint32_t>(first + runs_.sizes.size() - walked_);
    work.run = runs_.bytes;
    work.runs = outer;
    for (size_t i = walked_, slot = first; i < runs_.sizes.size(); ++i, ++slot) {
      work.sizes[slot] = static_cast<uint64_t>(runs_.sizes[i]);
      work.from_strides[slot] = runs_.source[i];
      work.to_strides[slot] = runs_.target[i];
      work.runs *= work.sizes[slot];
    }
  }

 private:
  int64_t offset(int64_t block, const Strides& strides) const;

  const Runs& runs_;
  size_t walked_ = 0;
  int64_t count_ = 1;
};

}  // namespace plimsoll::gpu
