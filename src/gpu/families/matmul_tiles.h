// Which kernel makes a product, with which tiles, and whether K is summed in parts: tables, and a choice by the time
// that each entry would take. Shapes, strides, dtype and device decide, never addresses: scratch is sized before there
// are any.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/families/matmul_problem.h"
#include "hal/device_info.h"

namespace plimsoll::gpu {

// Products of at most so many rows read b as a stream.
inline constexpr int64_t kFewRows = 8;

// A workgroup's tile [rows, columns] with slices of `depth` in k, of which each worker (an invocation, or a subgroup
// with cooperative matrices) makes [worker_rows, worker_columns].
struct ProductTile {
  uint32_t rows, columns, depth;
  uint32_t worker_rows, worker_columns;
  float speed;  // multiply-adds a compute unit and cycle when it is full, relative within its table
  bool prefetch = true;

  uint32_t workers() const { return rows / worker_rows * (columns / worker_columns); }
};

// PLIMSOLL_MATMUL_TILE=tiled:<index> or cooperative:<index> takes that entry of a table wherever the device can run it.
std::span<const ProductTile> tiled_tiles();
std::span<const ProductTile> cooperative_tiles();

struct ProductChoice {
  enum class Kind : uint8_t {
    kPlain,        // matmul_plain: everything but float32 sums
    kRows,         // matmul_rows
    kColumns,      // matmul_columns
    kTiled,        // matmul_tiled
    kCooperative,  // matmul_cooperative
  };
  Kind kind = Kind::kPlain;
  ProductTile tile{};    // of kTiled and kCooperative
  uint32_t threads = 0;  // of a workgroup
  uint32_t lanes = 0;    // kRows: invocations a column
  uint32_t columns = 0;  // kRows: columns an invocation; kColumns: packets side by side
  bool serial = false;   // packet.glsl: SERIAL
  int64_t groups = 0;    // of one part
  int64_t chunk = 0;     // of K: what one part sums
  int64_t parts = 1;

  // Of the float32 sums that the parts leave.
  uint64_t scratch_bytes(const Product& p) const {
    return parts == 1 ? 0 : static_cast<uint64_t>(parts * p.members * p.M * p.N) * sizeof(float);
  }
};

ProductChoice choose_product(const Product& p, const hal::DeviceInfo& device);

// The bytes of a packet (kernels/matmul/packet.glsl) in elements of a float dtype.
inline int64_t packet_elements(Dtype dtype) { return 16 / static_cast<int64_t>(dtype.size()); }

}  // namespace plimsoll::gpu
