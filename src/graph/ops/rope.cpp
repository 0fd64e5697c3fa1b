#include "graph/ops/rope.h"

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "graph/ops/common.h"
#include "graph/ops/rows.h"

namespace plimsoll::fast {
namespace {

void check_input(const array& x, int dims) {
  if (x.ndim() < 3) ops::fail("rope", "x must have at least 3 dimensions; it has shape " + ops::to_text(x.shape()));
  if (!issubdtype(x.dtype(), floating)) {
    ops::fail("rope", "needs floating point; got " + std::string(name_of(x.dtype())));
  }
  if (dims <= 0 || dims % 2 != 0 || dims > x.shape(-1)) {
    ops::fail("rope", "dims must be even and in [2, " + std::to_string(x.shape(-1)) + "]; got " + std::to_string(dims));
  }
}

void check_offset(const array& x, const array& offset) {
  if (!issubdtype(offset.dtype(), integer)) {
    ops::fail("rope", "offset must be an integer; got " + std::string(name_of(offset.dtype())));
  }
  if (offset.size() == 1 || (offset.ndim() == 1 && offset.shape(0) == x.shape(0))) return;
  ops::fail("rope", "offset must hold one integer, or one for each of the " + std::to_string(x.shape(0)) +
                        " entries of the batch; it has shape " + ops::to_text(offset.shape()));
}

void check_frequencies(const std::optional<float>& base, const std::optional<array>& freqs, int dims) {
  if (base.has_value() == freqs.has_value()) ops::fail("rope", "needs either base or freqs, and not both");
  if (freqs && (freqs->ndim() != 1 || freqs->shape(0) != dims / 2)) {
    ops::fail("rope",
              "freqs must have shape (" + std::to_string(dims / 2) + "); it has " + ops::to_text(freqs->shape()));
  }
}

}  // namespace

void RoPE::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  plan_rows(inputs, outputs, plans);
}

std::vector<array> RoPE::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                             const std::vector<int>& argnums, const std::vector<array>&) {
  if (argnums.size() != 1 || argnums[0] != 0) ops::fail("rope", "has no derivative by offset or freqs");
  Parameters back = parameters_;
  back.inverse = !back.inverse;
  std::vector<array> inputs = primals;
  inputs[0] = astype(cotangents[0], primals[0].dtype(), stream());
  return {ops::make<RoPE>(primals[0].shape(), primals[0].dtype(), stream(), std::move(inputs), back)};
}

bool RoPE::is_equivalent(const Primitive& other) const {
  return parameters_ == static_cast<const RoPE&>(other).parameters_;
}

array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, const array& offset,
           const std::optional<array>& freqs, StreamOrDevice s) {
  check_input(x, dims);
  check_offset(x, offset);
  check_frequencies(base, freqs, dims);
  std::vector<array> inputs = {x, astype(offset, int32, s)};
  if (freqs) inputs.push_back(astype(*freqs, float32, s));
  return ops::make<RoPE>(x.shape(), x.dtype(), to_stream(s), std::move(inputs),
                         RoPE::Parameters{dims, traditional, base, scale, false});
}

array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, int offset,
           const std::optional<array>& freqs, StreamOrDevice s) {
  return rope(x, dims, traditional, base, scale, array(offset, int32), freqs, s);
}

}  // namespace plimsoll::fast
