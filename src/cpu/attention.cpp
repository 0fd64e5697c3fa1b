#include "graph/ops/attention.h"

#include <algorithm>

#include "cpu/attention_kernel.h"
#include "cpu/register.h"

namespace plimsoll::cpu {
namespace {

AttentionOperand operand(const Tensor& t) {
  AttentionOperand operand{t.data, {}};
  std::copy(t.strides.begin(), t.strides.end(), operand.strides);
  return operand;
}

// inputs: queries, keys, values and the mask, if any.
Attention describe(const Primitive& primitive, std::span<const Tensor> inputs, const Tensor& out) {
  const auto& sdpa = static_cast<const fast::ScaledDotProductAttention&>(primitive);
  const Tensor& q = inputs[0];
  const Tensor& k = inputs[1];
  Attention a;
  a.dtype = out.dtype;
  a.batch = q.dim(0), a.query_heads = q.dim(1), a.queries = q.dim(2), a.dim = q.dim(3);
  a.kv_heads = k.dim(1), a.keys = k.dim(2), a.value_dim = out.dim(3);
  a.q = operand(q), a.k = operand(k), a.v = operand(inputs[2]);
  a.out = out.data;
  std::copy(out.strides.begin(), out.strides.begin() + 3, a.out_strides);
  a.scale = static_cast<double>(sdpa.scale());
  a.causal = sdpa.is_causal();
  if (inputs.size() > 3) {
    a.mask = operand(inputs[3]);
    a.mask_dtype = inputs[3].dtype;
  }
  return a;
}

size_t scratch_bytes(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  return attention_scratch_bytes(describe(primitive, inputs, outputs[0]));
}

void run(const Primitive& primitive, const Task& task) {
  attention(describe(primitive, task.inputs, task.outputs[0]), task.scratch);
}

}  // namespace

void register_attention(Table& table) { table.add<fast::ScaledDotProductAttention>(run, scratch_bytes); }

}  // namespace plimsoll::cpu
