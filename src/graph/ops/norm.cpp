#include "graph/ops/norm.h"

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "graph/ops/common.h"
#include "graph/ops/rows.h"

namespace plimsoll::fast {
namespace {

void check_parameter(const char* op, const char* what, const array& x, const array& parameter) {
  if (parameter.ndim() == 1 && parameter.shape(0) == x.shape(-1)) return;
  ops::fail(op, std::string(what) + " must have shape (" + std::to_string(x.shape(-1)) +
                    "), as the last axis of x; it has " + ops::to_text(parameter.shape()));
}

// The dtype of the result, checked.
Dtype common_dtype(const char* op, const array& x, const std::optional<array>& weight,
                   const std::optional<array>& bias) {
  if (x.ndim() == 0) ops::fail(op, "needs at least one dimension");
  Dtype dtype = x.dtype();
  if (weight) {
    check_parameter(op, "weight", x, *weight);
    dtype = promote_types(dtype, weight->dtype());
  }
  if (bias) {
    check_parameter(op, "bias", x, *bias);
    dtype = promote_types(dtype, bias->dtype());
  }
  if (!issubdtype(dtype, floating)) ops::fail(op, "needs floating point; got " + std::string(name_of(dtype)));
  return dtype;
}

// Sums over all axes but the last.
array sum_rows(const array& a, Stream s) {
  if (a.ndim() == 1) return a;
  std::vector<int> axes = ops::all_axes(a.ndim());
  axes.pop_back();
  return sum(a, axes, false, s);
}

array mean_row(const array& a, Stream s) { return mean(a, -1, true, s); }

// 1 / sqrt(mean(x^2) + eps) of each row.
array inverse_norm(const array& x, float eps, Stream s) {
  return rsqrt(add(mean_row(square(x, s), s), array(eps, x.dtype()), s), s);
}

// The cotangents asked for, in the primals' dtypes.
std::vector<array> pick(const std::vector<array>& gradients, const std::vector<int>& argnums,
                        const std::vector<array>& primals, Stream s) {
  std::vector<array> picked;
  for (const int argnum : argnums) picked.push_back(astype(gradients[argnum], primals[argnum].dtype(), s));
  return picked;
}

}  // namespace

void RMSNorm::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_rows(inputs, outputs, plans);
}

std::vector<array> RMSNorm::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                const std::vector<int>& argnums, const std::vector<array>&) {
  const Stream s = stream();
  const Dtype wide = ops::wide_dtype(primals[0].dtype());
  const array x = astype(primals[0], wide, s);
  const array g = astype(cotangents[0], wide, s);
  const array weighted = primals.size() > 1 ? multiply(g, astype(primals[1], wide, s), s) : g;
  const array inverse = inverse_norm(x, eps_, s);
  const array normal = multiply(x, inverse, s);
  const array along = mean_row(multiply(weighted, normal, s), s);
  std::vector<array> gradients = {multiply(inverse, subtract(weighted, multiply(normal, along, s), s), s)};
  if (primals.size() > 1) gradients.push_back(sum_rows(multiply(g, normal, s), s));
  return pick(gradients, argnums, primals, s);
}

bool RMSNorm::is_equivalent(const Primitive& other) const { return eps_ == static_cast<const RMSNorm&>(other).eps_; }

void LayerNorm::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_rows(inputs, outputs, plans);
}

std::vector<array> LayerNorm::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                  const std::vector<int>& argnums, const std::vector<array>&) {
  const Stream s = stream();
  const Dtype wide = ops::wide_dtype(primals[0].dtype());
  const array x = astype(primals[0], wide, s);
  const array g = astype(cotangents[0], wide, s);
  const array weighted = has_weight_ ? multiply(g, astype(primals[1], wide, s), s) : g;
  const array centered = subtract(x, mean_row(x, s), s);
  const array inverse = inverse_norm(centered, eps_, s);
  const array normal = multiply(centered, inverse, s);
  const array along = mean_row(multiply(weighted, normal, s), s);
  const array across = add(mean_row(weighted, s), multiply(normal, along, s), s);
  std::vector<array> gradients = {multiply(inverse, subtract(weighted, across, s), s)};
  if (has_weight_) gradients.push_back(sum_rows(multiply(g, normal, s), s));
  if (has_bias_) gradients.push_back(sum_rows(g, s));
  return pick(gradients, argnums, primals, s);
}

bool LayerNorm::is_equivalent(const Primitive& other) const {
  const auto& norm = static_cast<const LayerNorm&>(other);
  return eps_ == norm.eps_ && has_weight_ == norm.has_weight_ && has_bias_ == norm.has_bias_;
}

array rms_norm(const array& x, const std::optional<array>& weight, float eps, StreamOrDevice s) {
  const Dtype dtype = common_dtype("rms_norm", x, weight, std::nullopt);
  std::vector<array> inputs = {astype(x, dtype, s)};
  if (weight) inputs.push_back(astype(*weight, dtype, s));
  return ops::make<RMSNorm>(x.shape(), dtype, to_stream(s), std::move(inputs), eps);
}

array layer_norm(const array& x, const std::optional<array>& weight, const std::optional<array>& bias, float eps,
                 StreamOrDevice s) {
  const Dtype dtype = common_dtype("layer_norm", x, weight, bias);
  std::vector<array> inputs = {astype(x, dtype, s)};
  if (weight) inputs.push_back(astype(*weight, dtype, s));
  if (bias) inputs.push_back(astype(*bias, dtype, s));
  return ops::make<LayerNorm>(x.shape(), dtype, to_stream(s), std::move(inputs), eps, weight.has_value(),
                              bias.has_value());
}

}  // namespace plimsoll::fast
