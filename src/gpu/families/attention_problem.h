// Scaled dot-product attention as its launches see it: sizes, layouts, costs and the kernels' parameters.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/launch.h"
#include "graph/ops/attention.h"

namespace plimsoll::gpu::attention {

// As kernels/attention/attention.glsl has them.
struct Parameters {
  uint32_t first_group, batch, heads, group, queries, keys, dim, value_dim, causal;
  float scale;
  uint32_t first_query, tiles, part, parts;
  uint64_t q, k, v, out, sums, states;
  int64_t q_strides[4], k_strides[4], v_strides[4], out_strides[3];
  uint64_t mask;
  int64_t mask_strides[4];
};

enum MaskKind : uint32_t { kNoMask, kBoolMask, kAddedMask };

// The operation, as its tensors describe it.
struct Problem {
  std::span<const Tensor> inputs;  // queries, keys, values, and the mask if there is one
  const Tensor& out;
  float scale;
  bool causal;

  Problem(const fast::ScaledDotProductAttention& sdpa, std::span<const Tensor> in, const Tensor& result)
      : inputs(in), out(result), scale(sdpa.scale()), causal(sdpa.is_causal()) {}

  const Tensor& q() const { return inputs[0]; }
  const Tensor& k() const { return inputs[1]; }
  const Tensor& v() const { return inputs[2]; }
  const Tensor* mask() const { return inputs.size() > 3 ? &inputs[3] : nullptr; }

  uint64_t batch() const { return static_cast<uint64_t>(q().dim(0)); }
  uint64_t heads() const { return static_cast<uint64_t>(q().dim(1)); }
  uint64_t kv_heads() const { return static_cast<uint64_t>(k().dim(1)); }
  uint64_t group() const { return heads() / kv_heads(); }
  uint64_t queries() const { return static_cast<uint64_t>(q().dim(2)); }
  uint64_t keys() const { return static_cast<uint64_t>(k().dim(2)); }
  uint64_t dim() const { return static_cast<uint64_t>(q().dim(3)); }
  uint64_t value_dim() const { return static_cast<uint64_t>(out.dim(3)); }
  uint64_t rows() const { return queries() * group(); }  // of a key/value head
  uint64_t lines() const { return batch() * heads() * queries(); }

  bool is_float64() const { return out.dtype == float64; }
  // Elements that kernels load at once.
  uint64_t packet() const { return is_float64() ? 1 : 16 / out.dtype.size(); }
  uint32_t mask_kind() const { return !mask() ? kNoMask : mask()->dtype == bool_ ? kBoolMask : kAddedMask; }
};

constexpr uint64_t round_up(uint64_t value, uint64_t step) { return groups_for(value, step) * step; }

// Whether rows of all operands but the mask are whole packets of 16 aligned bytes. Depends on addresses.
bool has_whole_packets(const Problem& p);

// What queries [first, last) of all heads cost: exact under causality too, where each query sees one key more.
hal::Cost cost_of(const Problem& p, uint64_t first, uint64_t last);

// Sizes, scale and strides; no address yet.
Parameters parameters_of(const Problem& p);

// States that the launch reads all inputs, and enters their addresses.
void read_inputs(const Problem& p, Launch& launch, Parameters& parameters);

}  // namespace plimsoll::gpu::attention
