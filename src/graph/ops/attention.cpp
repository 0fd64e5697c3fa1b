#include "graph/ops/attention.h"

#include <algorithm>

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "graph/layout.h"
#include "graph/ops/attention_gradient.h"
#include "graph/ops/common.h"

namespace plimsoll::fast {
namespace {

constexpr const char* kName = "scaled_dot_product_attention";

void check_shapes(const array& q, const array& k, const array& v) {
  for (const array* a : {&q, &k, &v}) {
    if (a->ndim() != 4) ops::fail(kName, "inputs must have 4 dimensions; got " + ops::to_text(a->shape()));
  }
  const bool batches = q.shape(0) == k.shape(0) && q.shape(0) == v.shape(0);
  const bool rows = k.shape(1) == v.shape(1) && k.shape(2) == v.shape(2);
  if (!batches || !rows || q.shape(3) != k.shape(3)) {
    ops::fail(kName, "queries " + ops::to_text(q.shape()) + ", keys " + ops::to_text(k.shape()) + " and values " +
                         ops::to_text(v.shape()) + " do not fit together");
  }
  if (k.shape(1) == 0 || q.shape(1) % k.shape(1) != 0) {
    ops::fail(kName, std::to_string(q.shape(1)) + " query heads are not a multiple of " + std::to_string(k.shape(1)) +
                         " key heads");
  }
}

Dtype common_dtype(const array& q, const array& k, const array& v) {
  const Dtype dtype = promote_types(promote_types(q.dtype(), k.dtype()), v.dtype());
  if (!issubdtype(dtype, floating)) ops::fail(kName, "needs floating point; got " + std::string(name_of(dtype)));
  return dtype;
}

// Whether the mode asks for causality; checks it.
bool is_causal(const std::string& mode, bool has_mask) {
  if (!mode.empty() && mode != "causal" && mode != "array") {
    ops::fail(kName, "mask_mode must be \"\", \"causal\" or \"array\"; got \"" + mode + "\"");
  }
  if (mode == "causal" && has_mask) ops::fail(kName, "mask_mode \"causal\" takes no mask array");
  if (mode == "array" && !has_mask) ops::fail(kName, "mask_mode \"array\" needs a mask array");
  return mode == "causal";
}

// The mask over all scores, boolean or of the given dtype.
array full_mask(const array& mask, const Shape& scores, Dtype dtype, Stream s) {
  if (mask.dtype() != bool_ && promote_types(mask.dtype(), dtype) != dtype) {
    ops::fail(kName, "a mask of " + std::string(name_of(mask.dtype())) + " does not promote to " +
                         std::string(name_of(dtype)));
  }
  const array typed = mask.dtype() == bool_ ? mask : astype(mask, dtype, s);
  if (broadcast_shapes(mask.shape(), scores) != scores) {
    ops::fail(kName, "a mask of shape " + ops::to_text(mask.shape()) + " does not broadcast to the scores " +
                         ops::to_text(scores));
  }
  return broadcast_to(typed, scores, s);
}

}  // namespace

void ScaledDotProductAttention::plan(std::span<const array>, std::span<const array> outputs,
                                     std::span<OutputPlan> plans) const {
  const Shape& shape = outputs[0].shape();
  const int64_t heads = shape[1], queries = shape[2], dim = shape[3];
  Layout& layout = plans[0].layout;
  layout.strides = Strides{queries * heads * dim, dim, heads * dim, 1};
  layout.flags = layout_flags(shape, layout.strides, layout.data_size);
}

std::vector<array> ScaledDotProductAttention::vjp(const std::vector<array>& primals,
                                                  const std::vector<array>& cotangents, const std::vector<int>& argnums,
                                                  const std::vector<array>&) {
  const AttentionGradient gradient(primals, cotangents[0], scale_, causal_, stream());
  std::vector<array> gradients;
  for (const int argnum : argnums) gradients.push_back(gradient.of(argnum));
  return gradients;
}

bool ScaledDotProductAttention::is_equivalent(const Primitive& other) const {
  const auto& sdpa = static_cast<const ScaledDotProductAttention&>(other);
  return scale_ == sdpa.scale_ && causal_ == sdpa.causal_;
}

array scaled_dot_product_attention(const array& queries, const array& keys, const array& values, float scale,
                                   const std::string& mask_mode, const std::optional<array>& mask_arr,
                                   StreamOrDevice s) {
  check_shapes(queries, keys, values);
  const bool causal = is_causal(mask_mode, mask_arr.has_value());
  const Dtype dtype = common_dtype(queries, keys, values);
  const Stream stream = to_stream(s);
  std::vector<array> inputs = {astype(queries, dtype, stream), astype(keys, dtype, stream),
                               astype(values, dtype, stream)};
  const Shape& q = queries.shape();
  if (mask_arr) inputs.push_back(full_mask(*mask_arr, Shape{q[0], q[1], q[2], keys.shape(2)}, dtype, stream));
  return ops::make<ScaledDotProductAttention>(Shape{q[0], q[1], q[2], values.shape(3)}, dtype, stream,
                                              std::move(inputs), scale, causal);
}

}  // namespace plimsoll::fast
