#include "gpu/families/quantized_tiles.h"

#include <algorithm>
#include <stdexcept>

#include "gpu/families/quantized_weights.h"

namespace plimsoll::gpu {
namespace {

constexpr QuantizedTile kTiles[] = {
    {128, 128, 8, 8, 100}, {64, 128, 8, 8, 90}, {64, 64, 8, 4, 70},
    {32, 64, 4, 4, 50},    {32, 32, 4, 4, 40},  {16, 64, 4, 4, 35},
};

int64_t compute_units(const hal::DeviceInfo& device) {
  if (device.compute_units > 0) return device.compute_units;
  return device.type == hal::DeviceType::kSoftware ? 1 : 32;
}

// Shared memory: kernels/quantized/quantized_tiled.comp.
size_t shared_bytes(const QuantizedTile& tile) {
  return static_cast<size_t>(kParcel) * (tile.rows + tile.columns + 8) * sizeof(float);
}

bool fits(const QuantizedTile& tile, const hal::DeviceInfo& device) {
  return tile.threads() <= device.max_group_size && shared_bytes(tile) <= device.shared_memory_bytes;
}

// Cycles a step of k that the busiest compute unit would need.
double cycles_of(const QuantizedTile& tile, const QuantizedShape& shape, int64_t units) {
  const int64_t turns = (tile.groups(shape) + units - 1) / units;
  return static_cast<double>(turns) * tile.rows * tile.columns / tile.speed;
}

}  // namespace

// Several columns an invocation share what is read of x; fewer of them, and more lanes for each, keep enough loads
// under way where there are few columns.
QuantizedRowsChoice choose_quantized_rows(const QuantizedShape& shape, const hal::DeviceInfo& device) {
  const int64_t busy = compute_units(device) * 768, parcels = shape.K / kParcel;
  const uint32_t least_lanes = std::max({32u, device.subgroup_size, device.max_subgroup_size});
  QuantizedRowsChoice choice{std::max(128u, least_lanes), least_lanes, 0, 0};
  for (choice.columns = 4;; choice.columns /= 2) {
    const int64_t across = (shape.N + choice.columns - 1) / choice.columns;
    choice.lanes = least_lanes;
    while (across * choice.lanes < busy && 2 * choice.lanes <= std::min<int64_t>(parcels, choice.threads)) {
      choice.lanes *= 2;
    }
    if (across * choice.lanes >= busy / 2 || choice.columns == 1) break;
  }
  const int64_t columns = int64_t{choice.threads} / choice.lanes * choice.columns;
  choice.groups = (shape.N + columns - 1) / columns;
  return choice;
}

const QuantizedTile& choose_quantized_tile(const QuantizedShape& shape, const hal::DeviceInfo& device) {
  const QuantizedTile* best = nullptr;
  for (const QuantizedTile& tile : kTiles) {
    if (!fits(tile, device)) continue;
    const int64_t units = compute_units(device);
    if (!best || cycles_of(tile, shape, units) < cycles_of(*best, shape, units)) best = &tile;
  }
  if (!best) throw std::invalid_argument("[quantized_matmul] the device's workgroups are too small");
  return *best;
}

}  // namespace plimsoll::gpu
