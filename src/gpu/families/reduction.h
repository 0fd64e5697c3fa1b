// How elements are shared out where many combine into one: reductions, argmax and argmin.
//
// Lanes are neighbouring invocations that share an output. Where the elements of an output lie closer together than
// outputs do, lanes read neighbours (rows); else neighbouring outputs do (columns). An output with too many elements
// for one workgroup, or outputs too few to fill the device, are cut into chunks: a second dispatch joins those. All of
// it follows from shapes, strides and the device, so that results do not change with where arrays happen to lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/tensor.h"
#include "hal/device_info.h"

namespace plimsoll::gpu {

inline constexpr size_t kReductionAxes = 10;

// What kernels/reduction.glsl declares as p, member for member.
struct ReductionParameters {
  uint32_t first_group = 0;
  uint32_t chunks = 1;
  uint64_t outputs = 0;
  uint64_t count = 0;
  uint64_t chunk = 0;
  uint64_t in = 0;
  uint64_t out = 0;
  uint32_t inner_axes = 0;
  uint32_t outer_axes = 0;
  uint64_t inner_sizes[kReductionAxes] = {};
  int64_t inner_strides[kReductionAxes] = {};
  uint64_t outer_sizes[kReductionAxes] = {};
  int64_t outer_in[kReductionAxes] = {};
  int64_t outer_out[kReductionAxes] = {};
  uint64_t positions_in = 0;
  uint64_t positions_out = 0;
};

struct Reduction {
  ReductionParameters parameters;  // all but the addresses
  int64_t base = 0;                // elements from the input's [0, 0, ...] to where the first output's begin
  uint32_t lanes = 1;
  bool adjacent = true;        // lanes are neighbours in memory, else outputs are
  uint32_t pack = 1;           // elements that a lane takes at once
  bool packs_aligned = false;  // rows start at multiples of a pack, if the first does

  uint64_t groups() const;
  uint64_t partials() const { return parameters.outputs * parameters.chunks; }
};

// What a plan may choose from.
struct ReductionChoice {
  bool may_pack = false;    // the kernel takes 16 bytes at once
  bool keep_order = false;  // positions along the axis count: it is not turned round
};

// `out` has the shape of `in` with the reduced axes' size 1. Throws std::invalid_argument, naming the primitive, for
// more axes than kernels walk.
Reduction plan_reduction(const char* name, const Tensor& in, const Tensor& out, std::span<const int> reduced,
                         const hal::DeviceInfo& device, ReductionChoice choice);

// The second step of a reduction in chunks: totals [outputs, chunks] of the dtype, side by side, to where the first
// one's outputs go.
Reduction plan_joining(const Reduction& first, Dtype dtype, const hal::DeviceInfo& device, bool may_pack);

}  // namespace plimsoll::gpu
