#include "gpu/families/copy_runs.h"

#include <algorithm>
#include <array>

#include "graph/layout.h"

namespace plimsoll::gpu {
namespace {

// copy_rows.comp
constexpr uint32_t kGroup = 256;
constexpr uint64_t kBlock = 16;  // bytes
constexpr uint64_t kBlocksAnInvocation = 4;

Strides in_bytes(const Strides& strides, size_t item) {
  Strides bytes = strides;
  for (int64_t& stride : bytes) stride *= static_cast<int64_t>(item);
  bytes.push_back(1);
  return bytes;
}

}  // namespace

uint64_t Runs::count() const {
  uint64_t count = 1;
  for (const int64_t size : sizes) count *= static_cast<uint64_t>(size);
  return count;
}

uint32_t Runs::unit(uint64_t addresses, uint32_t limit) const {
  uint64_t bits = addresses | bytes | limit;
  for (const int64_t stride : source) bits |= static_cast<uint64_t>(stride);
  for (const int64_t stride : target) bits |= static_cast<uint64_t>(stride);
  return static_cast<uint32_t>(bits & (~bits + 1));
}

Runs runs_of(const Shape& shape, const Strides& source, const Strides& target, size_t item) {
  Shape bytes_shape = shape;
  bytes_shape.push_back(static_cast<ShapeElem>(item));
  CollapsedAxes axes = collapse_axes(bytes_shape, std::array{in_bytes(source, item), in_bytes(target, item)});
  Runs runs{std::move(axes.shape), std::move(axes.strides[0]), std::move(axes.strides[1]), 1};
  if (runs.source.back() == 1 && runs.target.back() == 1) {
    runs.bytes = static_cast<uint64_t>(runs.sizes.back());
    runs.sizes.pop_back();
    runs.source.pop_back();
    runs.target.pop_back();
  }
  return runs;
}

uint32_t take_splat(Runs& runs, size_t item, uint64_t addresses) {
  const bool repeats = runs.bytes == item && !runs.sizes.empty() && runs.source.back() == 0 &&
                       runs.target.back() == static_cast<int64_t>(item);
  if (!repeats || runs.unit(addresses, 4) < std::min<size_t>(item, 4)) return 0;
  runs.bytes *= static_cast<uint64_t>(runs.sizes.back());
  runs.sizes.pop_back();
  runs.source.pop_back();
  runs.target.pop_back();
  return static_cast<uint32_t>(item);
}

RunSharing share_runs(uint64_t run_bytes, uint64_t runs) {
  RunSharing sharing{1, 1, 0};
  while (sharing.lanes < kGroup && sharing.lanes * 2 * kBlock < run_bytes) sharing.lanes *= 2;
  const uint64_t blocks = run_bytes / kBlock;
  const uint64_t chunks = groups_for(blocks, sharing.lanes * kBlocksAnInvocation);
  sharing.chunks = static_cast<uint32_t>(std::max<uint64_t>(1, chunks));
  sharing.groups = groups_for(runs, kGroup / sharing.lanes) * sharing.chunks;
  return sharing;
}

RunBlocks::RunBlocks(const Runs& runs, size_t axes) : runs_(runs) {
  for (; runs.sizes.size() - walked_ > axes; ++walked_) count_ *= runs.sizes[walked_];
}

int64_t RunBlocks::offset(int64_t block, const Strides& strides) const {
  int64_t offset = 0;
  for (size_t i = walked_; i-- > 0;) {
    offset += block % runs_.sizes[i] * strides[i];
    block /= runs_.sizes[i];
  }
  return offset;
}

}  // namespace plimsoll::gpu
