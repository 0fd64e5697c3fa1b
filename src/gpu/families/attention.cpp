// Scaled dot-product attention: which way it runs is chosen from shapes, layouts and the device alone.
#include <stdexcept>
#include <string>

#include "gpu/families/attention_launches.h"
#include "gpu/register.h"

namespace plimsoll::gpu {
namespace {

using attention::Problem;
using fast::ScaledDotProductAttention;

// Query rows of a key/value head up to which keys and values are best read once for several rows.
constexpr uint64_t kFewRows = 32;

Problem problem_of(const Primitive& primitive, std::span<const Tensor> inputs, const Tensor& out) {
  return {static_cast<const ScaledDotProductAttention&>(primitive), inputs, out};
}

bool goes_by_rows(const Problem& p, const hal::DeviceInfo& device) {
  return p.rows() <= kFewRows || p.keys() == 0 || p.dim() == 0 || !attention::tiles_take(p, device);
}

size_t scratch_bytes(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                     const hal::DeviceInfo& device) {
  const Problem p = problem_of(primitive, inputs, outputs[0]);
  return p.out.size > 0 && goes_by_rows(p, device) ? attention::rows_scratch_bytes(p, device) : 0;
}

void encode(const Primitive& primitive, Task& task) {
  const Problem p = problem_of(primitive, task.inputs, task.outputs[0]);
  if (p.out.size == 0) return;
  if (p.is_float64() && !task.device.has_float64) {
    throw std::invalid_argument(std::string("[") + primitive.name() + "] " + task.device.name + " has no float64");
  }
  if (goes_by_rows(p, task.device)) return attention::launch_rows(p, task);
  if (attention::matrix_takes(p, task.device)) return attention::launch_matrix(p, task);
  attention::launch_tiles(p, task);
}

}  // namespace

void register_attention(Table& table) { table.add<ScaledDotProductAttention>(encode, scratch_bytes); }

}  // namespace plimsoll::gpu
