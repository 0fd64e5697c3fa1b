#include "gpu/families/row_launch.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace plimsoll::gpu {
namespace {

constexpr uint64_t kTile = 4096;     // elements: a multiple of what a workgroup takes at once, of any dtype
constexpr uint64_t kLeastTiles = 2;  // of a chunk

}  // namespace

// NOLINTBEGIN(bugprone-return-const-ref-from-parameter): kernels are of static lifetime
const hal::KernelCode& float_row_code(const Primitive& primitive, Dtype dtype, const hal::DeviceInfo& device,
                                      const hal::KernelCode& single, const hal::KernelCode& wide) {
  if (dtype != float64) return single;
  if (device.has_float64) return wide;
  throw std::invalid_argument("[" + std::string(primitive.name()) + "] needs float64, which " + device.name + " lacks");
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

RowBlocks rows_around_last(std::initializer_list<std::reference_wrapper<const Tensor>> operands) {
  const Tensor& first = *operands.begin();
  const int last = first.ndim() - 1;
  std::vector<Strides> strides;
  for (const Tensor& operand : operands) strides.push_back(without_axis(operand.strides, last));
  return {without_axis(first.shape, last), strides};
}

uint64_t row_count(const Tensor& tensor) {
  uint64_t count = 1;
  for (int axis = 0; axis + 1 < tensor.ndim(); ++axis) count *= static_cast<uint64_t>(tensor.shape[axis]);
  return count;
}

bool has_aligned_rows(const Tensor& tensor, const RowBlocks& rows, size_t operand) {
  return last_step(tensor) == 1 && address_of(tensor) % 16 == 0 && rows.aligned(operand, pack_of(tensor.dtype));
}

uint64_t write_rows(Launch& launch, const Tensor& out, const RowBlocks& rows, int64_t block, size_t operand) {
  const uint64_t address = rows.count() > 1 ? launch.updates(out) : launch.writes(out);
  return address + row_bytes(out, rows, block, operand);
}

RowChunks row_chunks(const Tensor& rows, const hal::DeviceInfo& device) {
  const auto width = static_cast<uint64_t>(rows.dim(-1));
  const uint64_t useful = wanted_groups(device) / 4 / std::max<uint64_t>(row_count(rows), 1);
  const uint64_t chunks = std::min(width / (kTile * kLeastTiles), useful);
  if (chunks <= 1) return {1, static_cast<uint32_t>(width)};
  const uint64_t elements = groups_for(groups_for(width, chunks), kTile) * kTile;
  return {static_cast<uint32_t>(groups_for(width, elements)), static_cast<uint32_t>(elements)};
}

}  // namespace plimsoll::gpu
