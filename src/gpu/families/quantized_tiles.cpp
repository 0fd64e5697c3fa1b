#include "gpu/families/quantized_tiles.h"

#include <algorithm>
#include <bit>
#include <span>
#include <stdexcept>

#include "gpu/families/quantized_weights.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

constexpr QuantizedTile kTiledTiles[] = {
    {128, 128, 8, 8, 100}, {64, 128, 8, 8, 90}, {64, 64, 8, 4, 70},
    {32, 64, 4, 4, 50},    {32, 32, 4, 4, 40},  {16, 64, 4, 4, 35},
};

constexpr QuantizedTile kCooperativeTiles[] = {
    {128, 128, 64, 32, 970}, {128, 64, 32, 32, 1000}, {64, 128, 32, 32, 900}, {64, 64, 32, 32, 900},
    {32, 128, 32, 32, 650},  {32, 64, 16, 32, 500},   {16, 128, 16, 32, 400}, {16, 64, 16, 32, 300},
};

int64_t compute_units(const hal::DeviceInfo& device) {
  if (device.compute_units > 0) return device.compute_units;
  return device.type == hal::DeviceType::kSoftware ? 1 : 32;
}

// Shared memory: kernels/quantized/quantized_tiled.comp and quantized_cooperative.comp.
size_t shared_bytes(const QuantizedTile& tile, bool cooperative) {
  if (!cooperative) return static_cast<size_t>(kParcel) * (tile.rows + tile.columns + 8) * sizeof(float);
  constexpr size_t kDepth = 64, kPadding = 8;
  const size_t along_k = size_t{tile.columns} * (kDepth + kPadding), along_n = kDepth * (tile.columns + kPadding);
  return 2 * (size_t{tile.rows} * (kDepth + kPadding) + std::max(along_k, along_n));
}

// Software devices take seconds to compile what is long.
bool is_software(const hal::DeviceInfo& device) { return device.type == hal::DeviceType::kSoftware; }

bool fits(const QuantizedTile& tile, bool cooperative, const hal::DeviceInfo& device) {
  if (is_software(device) && tile.worker_rows * tile.worker_columns > 16) return false;
  const uint32_t worker = cooperative ? device.subgroup_size : 1;
  return tile.workers() * worker <= device.max_group_size &&
         shared_bytes(tile, cooperative) <= device.shared_memory_bytes;
}

// Cycles a step of k that the busiest compute unit would need.
double cycles_of(const QuantizedTile& tile, const QuantizedShape& shape, int64_t units) {
  const int64_t turns = (tile.groups(shape) + units - 1) / units;
  return static_cast<double>(turns) * tile.rows * tile.columns / tile.speed;
}

// The quickest tile of a table; null where none fits.
const QuantizedTile* best_tile(std::span<const QuantizedTile> table, bool cooperative, const QuantizedShape& shape,
                               const hal::DeviceInfo& device) {
  const QuantizedTile* best = nullptr;
  for (const QuantizedTile& tile : table) {
    if (!fits(tile, cooperative, device)) continue;
    const int64_t units = compute_units(device);
    if (!best || cycles_of(tile, shape, units) < cycles_of(*best, shape, units)) best = &tile;
  }
  return best;
}

// Shared memory of kernels/quantized/quantized_rows.comp.
size_t stage_bytes(int64_t rows, uint32_t parcels) {
  return static_cast<size_t>(rows * kParcel) * parcels * sizeof(float);
}

uint32_t least_lanes(const hal::DeviceInfo& device) {
  return std::max({32u, device.subgroup_size, device.max_subgroup_size});
}

// Cooperative matrices of x's own type; results and sums in float32.
bool has_cooperative(Dtype dtype, const hal::DeviceInfo& device) {
  using Type = hal::CooperativeShape::Type;
  if (dtype == float32 || quantized_cooperative_kernel(dtype).spirv.empty()) return false;
  const Type operands = dtype == float16 ? Type::kFloat16 : Type::kBfloat16;
  return std::any_of(device.cooperative_shapes.begin(), device.cooperative_shapes.end(), [&](const auto& s) {
    return s.m == 16 && s.n == 16 && s.k == 16 && s.operands == operands && s.result == Type::kFloat32;
  });
}

}  // namespace

int64_t few_quantized_rows(const hal::DeviceInfo& device) {
  int64_t rows = 8;
  while (rows > 1 && stage_bytes(rows, least_lanes(device)) > device.shared_memory_bytes) rows /= 2;
  return rows;
}

// Several columns an invocation share what is read of x; fewer of them, and more lanes for each, keep enough loads
// under way where there are few columns.
QuantizedRowsChoice choose_quantized_rows(const QuantizedShape& shape, const hal::DeviceInfo& device) {
  const int64_t busy = compute_units(device) * 480, parcels = shape.K / kParcel;
  QuantizedRowsChoice choice{};
  choice.rows = std::bit_ceil(static_cast<uint32_t>(shape.M));
  choice.threads = is_software(device) ? 128 : std::min(256u, device.max_group_size);
  choice.threads = std::max(choice.threads, least_lanes(device));
  for (choice.columns = is_software(device) ? 1 : 4;; choice.columns /= 2) {
    const int64_t across = (shape.N + choice.columns - 1) / choice.columns;
    choice.lanes = least_lanes(device);
    while (across * choice.lanes < busy && 2 * choice.lanes <= std::min<int64_t>(parcels, choice.threads) &&
           stage_bytes(choice.rows, 2 * choice.lanes) <= device.shared_memory_bytes) {
      choice.lanes *= 2;
    }
    if (across * choice.lanes >= busy / 2 || choice.columns == 1) break;
  }
  choice.stage_parcels = std::max(choice.lanes, 128 / choice.rows);
  const int64_t columns = int64_t{choice.threads} / choice.lanes * choice.columns;
  choice.groups = (shape.N + columns - 1) / columns;
  return choice;
}

const hal::KernelCode& quantized_cooperative_kernel(Dtype dtype) {
  return dtype == float16 ? kernels::quantized_cooperative_float16 : kernels::quantized_cooperative_bfloat16;
}

QuantizedTileChoice choose_quantized_tile(const QuantizedShape& shape, Dtype dtype, const hal::DeviceInfo& device) {
  if (has_cooperative(dtype, device)) {
    const QuantizedTile* tile = best_tile(kCooperativeTiles, true, shape, device);
    if (tile) return {tile, true, tile->workers() * device.subgroup_size};
  }
  const QuantizedTile* tile = best_tile(kTiledTiles, false, shape, device);
  if (!tile) throw std::invalid_argument("[quantized_matmul] the device's workgroups are too small");
  return {tile, false, tile->workers()};
}

}  // namespace plimsoll::gpu
