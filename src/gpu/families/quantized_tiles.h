// Which kernel makes a quantized product, and with which sizes: by shape, dtype and device, never by addresses.
#pragma once

#include <cstdint>

#include "plimsoll/dtype.h"
#include "hal/device_info.h"
#include "hal/kernel.h"

namespace plimsoll::gpu {

struct QuantizedShape {
  int64_t M, N, K;
  bool transposed;  // w is [N, K]
};

// quantized_rows: `lanes` of a workgroup's invocations make `columns` columns of `rows` rows, with as much of x staged
// as `stage_parcels` parcels of weights meet.
struct QuantizedRowsChoice {
  uint32_t threads, lanes, columns;
  uint32_t rows;  // at least M
  uint32_t stage_parcels;
  int64_t groups;
};
// Products of at most so many rows, which must be `transposed`, read w as a stream.
int64_t few_quantized_rows(const hal::DeviceInfo& device);
QuantizedRowsChoice choose_quantized_rows(const QuantizedShape& shape, const hal::DeviceInfo& device);

// quantized_tiled and quantized_cooperative: a workgroup's tile, and the share of an invocation or a subgroup.
struct QuantizedTile {
  uint32_t rows, columns, worker_rows, worker_columns;
  float speed;            // multiply-adds a compute unit and cycle when it is full, relative
  bool prefetch = false;  // quantized_cooperative: PREFETCH

  uint32_t workers() const { return rows / worker_rows * (columns / worker_columns); }
  int64_t groups(const QuantizedShape& shape) const {
    return (shape.M + rows - 1) / rows * ((shape.N + columns - 1) / columns);
  }
};
// The kernel for x of float16 or bfloat16; empty where the build has none.
const hal::KernelCode& quantized_cooperative_kernel(Dtype dtype);

struct QuantizedTileChoice {
  const QuantizedTile* tile;
  bool cooperative;  // quantized_cooperative
  uint32_t threads;
};
// Matrix units where the device has them for the dtype. Throws std::invalid_argument where the device's workgroups are
// too small for any tile.
QuantizedTileChoice choose_quantized_tile(const QuantizedShape& shape, Dtype dtype, const hal::DeviceInfo& device);

}  // namespace plimsoll::gpu
