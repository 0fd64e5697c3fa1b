#include <algorithm>

#include "gpu/families/attention_launches.h"
#include "gpu/families/attention_ranges.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu::attention {
namespace {

// How a workgroup of attention_matrix.comp is cut.
struct MatrixTile {
  uint64_t subgroups;
  uint64_t fragments;  // of 16 queries, for each subgroup
  uint64_t keys;

  uint64_t queries() const { return 16 * subgroups * fragments; }
};

constexpr MatrixTile kTiles[] = {{8, 1, 32}, {4, 1, 32}, {2, 1, 32}, {1, 1, 32}};

uint64_t shared_bytes(const MatrixTile& tile, uint64_t dim, uint64_t value_dim) {
  const uint64_t operands = tile.keys * (dim / 8 + value_dim / 8 + 2);
  return 16 * (operands + tile.queries() * (tile.keys / 4 + tile.keys / 8 + 2));
}

const hal::KernelCode& code_of(Dtype dtype) {
  return dtype == float16 ? kernels::attention_matrix_float16 : kernels::attention_matrix_bfloat16;
}

// Products of the operands' own type, summed in float32.
bool has_products(Dtype dtype, const hal::DeviceInfo& device) {
  using Type = hal::CooperativeShape::Type;
  const Type operands = dtype == float16 ? Type::kFloat16 : Type::kBfloat16;
  return std::any_of(device.cooperative_shapes.begin(), device.cooperative_shapes.end(), [&](const auto& shape) {
    return shape.m == 16 && shape.n == 16 && shape.k == 16 && shape.operands == operands &&
           shape.result == Type::kFloat32;
  });
}

// The largest tile that the device can hold and that the queries fill more than half; null: none.
const MatrixTile* choose_tile(const Problem& p, const hal::DeviceInfo& device) {
  const uint64_t dim = round_up(p.dim(), 16), value_dim = round_up(p.value_dim(), 16);
  for (const MatrixTile& tile : kTiles) {
    const bool fits = shared_bytes(tile, dim, value_dim) <= device.shared_memory_bytes &&
                      tile.subgroups * device.subgroup_size <= device.max_group_size;
    if (fits && (tile.subgroups == 1 || tile.queries() < 2 * p.queries())) return &tile;
  }
  return nullptr;
}

}  // namespace

bool matrix_takes(const Problem& p, const hal::DeviceInfo& device) {
  const Dtype dtype = p.out.dtype;
  if (dtype != float16 && dtype != bfloat16) return false;
  const uint32_t width = device.subgroup_size;
  const bool known_width = width == 16 || width == 32 || width == 64;
  return known_width && !code_of(dtype).spirv.empty() && has_products(dtype, device) && p.dim() <= 256 &&
         p.value_dim() <= 256 && has_whole_packets(p) && choose_tile(p, device);
}

void launch_matrix(const Problem& p, Task& task) {
  const MatrixTile& tile = *choose_tile(p, task.device);
  const auto constant = [](uint64_t value) { return static_cast<uint32_t>(value); };
  const uint32_t width = task.device.subgroup_size;
  const uint32_t constants[] = {dtype_code(p.out.dtype),
                                true,
                                p.mask_kind(),
                                constant(round_up(p.dim(), 16)),
                                constant(round_up(p.value_dim(), 16)),
                                width,
                                constant(width * tile.subgroups),
                                constant(tile.fragments),
                                constant(tile.keys)};
  launch_ranges(p, task, code_of(p.out.dtype), constants, tile.queries());
}

}  // namespace plimsoll::gpu::attention
