#include "gpu/families/attention_problem.h"

#include <algorithm>

namespace plimsoll::gpu::attention {
namespace {

// Whether rows of the last axis, which is not empty, are whole packets of 16 aligned bytes.
bool has_whole_packets(const Tensor& t) {
  const uint64_t item = t.dtype.size();
  const auto is_aligned = [&](int64_t stride) { return static_cast<uint64_t>(stride) * item % 16 == 0; };
  return t.stride(-1) == 1 && is_aligned(t.dim(-1)) && address_of(t) % 16 == 0 && is_aligned(t.stride(0)) &&
         is_aligned(t.stride(1)) && is_aligned(t.stride(2));
}

// Keys that queries [first, last) see, summed over them.
double visible_pairs(const Problem& p, uint64_t first, uint64_t last) {
  const auto keys = static_cast<double>(p.keys());
  if (!p.causal) return static_cast<double>(last - first) * keys;
  const auto shift = keys - static_cast<double>(p.queries());
  const double low = std::max(static_cast<double>(first), -shift), high = static_cast<double>(last);
  return high <= low ? 0.0 : (high - low) * (shift + (low + high + 1) / 2);
}

}  // namespace

bool has_whole_packets(const Problem& p) {
  return !p.is_float64() && has_whole_packets(p.q()) && has_whole_packets(p.k()) && has_whole_packets(p.v()) &&
         has_whole_packets(p.out);
}

hal::Cost cost_of(const Problem& p, uint64_t first, uint64_t last) {
  const double pairs = visible_pairs(p, first, last) * static_cast<double>(p.batch() * p.heads());
  const double share = static_cast<double>(last - first) / static_cast<double>(p.queries());
  const double moved = share * static_cast<double>(p.q().size + p.out.size) +
                       static_cast<double>(p.batch() * p.kv_heads() * p.keys() * (p.dim() + p.value_dim()));
  return {2.0 * pairs * static_cast<double>(p.dim() + p.value_dim()), moved * static_cast<double>(p.out.dtype.size())};
}

Parameters parameters_of(const Problem& p) {
  Parameters parameters{};
  parameters.batch = static_cast<uint32_t>(p.batch());
  parameters.heads = static_cast<uint32_t>(p.heads());
  parameters.group = static_cast<uint32_t>(p.group());
  parameters.queries = static_cast<uint32_t>(p.queries());
  parameters.keys = static_cast<uint32_t>(p.keys());
  parameters.dim = static_cast<uint32_t>(p.dim());
  parameters.value_dim = static_cast<uint32_t>(p.value_dim());
  parameters.scale = p.scale;
  parameters.causal = p.causal;
  const auto copy = [](const Tensor& t, int axes, int64_t* to) { std::copy_n(t.strides.begin(), axes, to); };
  copy(p.q(), 4, parameters.q_strides);
  copy(p.k(), 4, parameters.k_strides);
  copy(p.v(), 4, parameters.v_strides);
  copy(p.out, 3, parameters.out_strides);
  if (p.mask()) copy(*p.mask(), 4, parameters.mask_strides);
  return parameters;
}

void read_inputs(const Problem& p, Launch& launch, Parameters& parameters) {
  parameters.q = launch.reads(p.q());
  parameters.k = launch.reads(p.k());
  parameters.v = launch.reads(p.v());
  if (p.mask()) parameters.mask = launch.reads(*p.mask());
}

}  // namespace plimsoll::gpu::attention
