#include "gpu/families/matmul_tiles.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/env.h"
#include "gpu/launch.h"
#include "kernels/kernels.h"

namespace plimsoll::gpu {
namespace {

using Kind = ProductChoice::Kind;

constexpr ProductTile kTiledTiles[] = {
    {128, 128, 16, 8, 8, 100}, {64, 128, 16, 8, 8, 90}, {128, 64, 16, 8, 8, 90}, {64, 64, 16, 8, 4, 70},
    {32, 64, 16, 4, 4, 50},    {32, 32, 16, 4, 4, 40},  {16, 64, 32, 4, 4, 35},
};

constexpr ProductTile kCooperativeTiles[] = {
    {128, 128, 64, 64, 32, 1000, false}, {128, 128, 64, 64, 32, 999, true},  {128, 256, 32, 64, 64, 870, false},
    {128, 256, 32, 64, 64, 869, true},   {256, 128, 32, 64, 64, 868, false}, {128, 128, 64, 64, 64, 867, false},
    {128, 128, 32, 64, 32, 800, true},   {128, 64, 64, 32, 32, 700, false},  {64, 128, 64, 32, 32, 700, false},
    {64, 64, 64, 32, 32, 550, false},    {32, 128, 64, 32, 32, 400, false},  {32, 64, 64, 16, 32, 300, false},
    {16, 128, 64, 16, 32, 250, false},
};

constexpr int64_t kLeastChunk = 256;  // of K
constexpr int64_t kMostParts = 64;

int64_t compute_units(const hal::DeviceInfo& device) {
  if (device.compute_units > 0) return device.compute_units;
  return device.type == hal::DeviceType::kSoftware ? 1 : 32;
}

bool is_float(Dtype dtype) { return dtype == float32 || dtype == float16 || dtype == bfloat16; }

// Splits K so that `wanted` workgroups run, if one part has fewer.
void split_k(ProductChoice& choice, const Product& p, int64_t wanted, int64_t least_chunk) {
  choice.chunk = std::max<int64_t>(p.K, 1);
  if (choice.groups >= wanted || p.K < 2 * least_chunk) return;
  const int64_t parts = std::min({wanted / choice.groups, p.K / least_chunk, kMostParts});
  if (parts < 2) return;
  constexpr int64_t kMultiple = 64;  // of every slice and packet
  choice.chunk = (p.K / parts + kMultiple - 1) / kMultiple * kMultiple;
  choice.parts = (p.K + choice.chunk - 1) / choice.chunk;
}

// Shared memory: kernels/matmul/matmul_tiled.comp and matmul_cooperative.comp.
size_t shared_bytes(Kind kind, const ProductTile& tile) {
  if (kind == Kind::kTiled) return size_t{tile.depth} * (tile.rows + tile.columns + 8) * sizeof(float);
  // A tile along k is the larger one: a packet of padding for each row.
  return size_t{tile.rows + tile.columns} * (tile.depth + 8) * 2;
}

// The entry that PLIMSOLL_MATMUL_TILE names.
struct ForcedTile {
  Kind kind;
  size_t index;
};

std::optional<ForcedTile> forced_tile() {
  static const std::optional<ForcedTile> forced = []() -> std::optional<ForcedTile> {
    const auto text = base::env_string("PLIMSOLL_MATMUL_TILE");
    if (!text) return {};
    for (const Kind kind : {Kind::kTiled, Kind::kCooperative}) {
      const std::string prefix = kind == Kind::kTiled ? "tiled:" : "cooperative:";
      const auto table = kind == Kind::kTiled ? tiled_tiles() : cooperative_tiles();
      for (size_t i = 0; i < table.size(); ++i) {
        if (*text == prefix + std::to_string(i)) return ForcedTile{kind, i};
      }
    }
    throw std::invalid_argument("PLIMSOLL_MATMUL_TILE is tiled:<index> or cooperative:<index>, not " + *text);
  }();
  return forced;
}

// Software devices have neither the registers for large tiles nor quick compilers for them.
bool fits(Kind kind, const ProductTile& tile, const hal::DeviceInfo& device) {
  const uint32_t worker = kind == Kind::kTiled ? 1 : device.subgroup_size;
  if (device.type == hal::DeviceType::kSoftware && !forced_tile() &&
      (tile.rows * tile.columns > 32 * 32 || tile.depth > 16)) {
    return false;
  }
  return tile.workers() * worker <= device.max_group_size && shared_bytes(kind, tile) <= device.shared_memory_bytes;
}

// Cycles that the busiest compute unit would need.
double cycles_of(const ProductChoice& choice, const Product& p, int64_t units) {
  const ProductTile& tile = choice.tile;
  constexpr double kStartAndEnd = 128;  // of a tile, in steps of k
  constexpr double kSecondPass = 4000;
  const int64_t turns = (choice.groups * choice.parts + units - 1) / units;
  const double tile_cycles = double(tile.rows) * tile.columns * (double(choice.chunk) + kStartAndEnd) / tile.speed;
  if (choice.parts == 1) return turns * tile_cycles;
  return turns * tile_cycles + kSecondPass + double(choice.parts * p.members * p.M * p.N) / (4.0 * units);
}

ProductChoice with_tile(Kind kind, const ProductTile& tile, const Product& p, const hal::DeviceInfo& device) {
  ProductChoice choice{.kind = kind, .tile = tile};
  choice.threads = tile.workers() * (kind == Kind::kTiled ? 1 : device.subgroup_size);
  choice.groups = (p.M + tile.rows - 1) / tile.rows * ((p.N + tile.columns - 1) / tile.columns) * p.members;
  split_k(choice, p, compute_units(device), kLeastChunk);
  return choice;
}

std::optional<ProductChoice> best_tile(Kind kind, const Product& p, const hal::DeviceInfo& device) {
  const auto table = kind == Kind::kTiled ? tiled_tiles() : cooperative_tiles();
  const auto forced = forced_tile();
  std::optional<ProductChoice> best;
  double best_cycles = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    if (forced && forced->kind == kind && forced->index != i) continue;
    if (!fits(kind, table[i], device)) continue;
    const ProductChoice choice = with_tile(kind, table[i], p, device);
    const double cycles = cycles_of(choice, p, compute_units(device));
    if (best && cycles >= best_cycles) continue;
    best = choice;
    best_cycles = cycles;
  }
  return best;
}

// Cooperative matrices of the operands' own type; results and sums in float32.
bool has_cooperative(Dtype dtype, const hal::DeviceInfo& device) {
  using Type = hal::CooperativeShape::Type;
  if (dtype == float32) return false;
  const auto& code = dtype == float16 ? kernels::matmul_cooperative_float16 : kernels::matmul_cooperative_bfloat16;
  const Type operands = dtype == float16 ? Type::kFloat16 : Type::kBfloat16;
  if (code.spirv.empty()) return false;
  return std::any_of(device.cooperative_shapes.begin(), device.cooperative_shapes.end(), [&](const auto& shape) {
    return shape.m == 16 && shape.n == 16 && shape.k == 16 && shape.operands == operands &&
           shape.result == Type::kFloat32;
  });
}

ProductChoice choose_rows(const Product& p, const hal::DeviceInfo& device) {
  ProductChoice choice{.kind = Kind::kRows, .threads = 128};
  const int64_t units = compute_units(device), full = units * 1024;  // invocations that keep memory busy
  choice.lanes = std::max(32u, device.max_subgroup_size);
  choice.threads = std::max(choice.threads, choice.lanes);
  choice.columns = p.N * choice.lanes / 2 >= full ? 2 : 1;
  const int64_t packets = p.K / packet_elements(p.dtype());
  if (p.N * p.members * choice.lanes < full / 8 && packets >= 4 * choice.threads) choice.lanes = choice.threads;
  const int64_t columns = choice.threads / choice.lanes * choice.columns;
  choice.groups = (p.N + columns - 1) / columns * p.members;
  split_k(choice, p, units, 32 * choice.lanes * packet_elements(p.dtype()));
  return choice;
}

ProductChoice choose_columns(const Product& p, const hal::DeviceInfo& device) {
  ProductChoice choice{.kind = Kind::kColumns, .threads = std::min(256u, device.max_group_size)};
  const int64_t units = compute_units(device), packet = packet_elements(p.dtype());
  for (choice.columns = 16; choice.columns > 4; choice.columns /= 2) {
    if (p.N * p.members >= 2 * units * choice.columns * packet) break;
  }
  const int64_t span = choice.columns * packet;
  choice.groups = (p.N + span - 1) / span * p.members;
  const int64_t deep = choice.threads / choice.columns;
  split_k(choice, p, units, std::max<int64_t>(8 * deep, kLeastChunk));
  return choice;
}

ProductChoice plain(const Product& p) {
  ProductChoice choice{.kind = Kind::kPlain, .threads = 256};
  constexpr int64_t kSide = 32;
  choice.groups = (p.M + kSide - 1) / kSide * ((p.N + kSide - 1) / kSide) * p.members;
  choice.chunk = std::max<int64_t>(p.K, 1);
  return choice;
}

ProductChoice choose_float(const Product& p, const hal::DeviceInfo& device) {
  if (p.M <= kFewRows && p.b.row == 1) return choose_rows(p, device);
  if (p.M <= kFewRows && p.b.column == 1) return choose_columns(p, device);
  const bool tiled_only = forced_tile() && forced_tile()->kind == Kind::kTiled;
  if (p.M > kFewRows && !tiled_only && has_cooperative(p.dtype(), device)) {
    if (const auto choice = best_tile(Kind::kCooperative, p, device)) return *choice;
  }
  if (const auto choice = best_tile(Kind::kTiled, p, device)) return *choice;
  throw std::invalid_argument("[matmul] the device's workgroups are too small for float products");
}

}  // namespace

std::span<const ProductTile> tiled_tiles() { return kTiledTiles; }
std::span<const ProductTile> cooperative_tiles() { return kCooperativeTiles; }

ProductChoice choose_product(const Product& p, const hal::DeviceInfo& device) {
  if (!is_float(p.dtype())) return plain(p);
  ProductChoice choice = choose_float(p, device);
  choice.serial = device.type == hal::DeviceType::kSoftware;
  return choice;
}

}  // namespace plimsoll::gpu
