#include "graph/ops/quantized.h"

#include "plimsoll/ops.h"
#include "graph/ops/block_format.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

constexpr const char* kFixed = "quantized weights are fixed: differentiate with respect to the other operands";

// Fails for what is not one of the three types that quantized products compute with.
void check_float(const char* op, const char* what, Dtype dtype) {
  if (dtype == float32 || dtype == float16 || dtype == bfloat16) return;
  ops::fail(op, std::string(what) + " must be float32, float16 or bfloat16; got " + std::string(name_of(dtype)));
}

AffineSpec check_spec(const char* op, int group_size, int bits) {
  if (group_size != 32 && group_size != 64 && group_size != 128) {
    ops::fail(op, "group_size must be 32, 64 or 128; got " + std::to_string(group_size));
  }
  if (bits < 2 || bits > 8 || bits == 7) ops::fail(op, "bits must be 2, 3, 4, 5, 6 or 8; got " + std::to_string(bits));
  return {group_size, bits};
}

// Values in a packed row, after checking that packed words, scales and biases belong together.
ShapeElem check_affine(const char* op, const array& w, const array& scales, const array& biases,
                       const AffineSpec& spec) {
  if (w.dtype() != uint32) ops::fail(op, "packed weights must be uint32; got " + std::string(name_of(w.dtype())));
  check_float(op, "scales", scales.dtype());
  if (w.ndim() < 2 || scales.shape() != biases.shape() || scales.ndim() != w.ndim()) {
    ops::fail(op, "weights " + ops::to_text(w.shape()) + ", scales " + ops::to_text(scales.shape()) + " and biases " +
                      ops::to_text(biases.shape()) + " must have two or more dimensions, the last two of equal shape");
  }
  const int64_t values = int64_t{w.shape(-1)} * 32 / spec.bits;
  Shape expected = w.shape();
  expected[expected.size() - 1] = static_cast<ShapeElem>(values / spec.group_size);
  const bool whole = int64_t{w.shape(-1)} * 32 % spec.bits == 0 && values % spec.group_size == 0;
  if (!whole || expected != scales.shape()) {
    ops::fail(op, "packed weights " + ops::to_text(w.shape()) + " of " + std::to_string(spec.bits) +
                      " bits do not fit scales " + ops::to_text(scales.shape()) + " of groups of " +
                      std::to_string(spec.group_size));
  }
  return static_cast<ShapeElem>(values);
}

// x's shape with another last dimension; fails when the last one is not `expected`.
Shape product_shape(const char* op, const array& x, ShapeElem expected, ShapeElem columns, const array& w) {
  if (x.ndim() == 0 || x.shape(-1) != expected) {
    ops::fail(op, "x of shape " + ops::to_text(x.shape()) + " needs a last dimension of " + std::to_string(expected) +
                      " to be multiplied with packed weights of shape " + ops::to_text(w.shape()));
  }
  Shape shape = x.shape();
  shape[shape.size() - 1] = columns;
  return shape;
}

array grouped(const array& a, int group_size, Stream s) { return unflatten(a, -1, {-1, group_size}, s); }

// Gradients of scales and biases from the gradient of the dequantized weights: value = scale * q + bias.
array affine_cotangent(const array& weights_cotangent, const array& packed, const array& scales, const AffineSpec& spec,
                       bool of_scales, Stream s) {
  array g = astype(grouped(weights_cotangent, spec.group_size, s), float32, s);
  if (of_scales) {
    const array one = ones(scales.shape(), float32, s), zero = zeros(scales.shape(), float32, s);
    const array q = dequantize(packed, one, zero, spec.group_size, spec.bits, s);
    g = multiply(g, grouped(q, spec.group_size, s), s);
  }
  return astype(sum(g, -1, false, s), scales.dtype(), s);
}

array stacked(const array& a, Stream s) { return a.ndim() == 2 ? a : reshape(a, {-1, a.shape(-1)}, s); }

// Gradient of the dequantized weights themselves.
array weights_cotangent(const array& x, const array& cotangent, bool transpose, Stream s) {
  const array rows = stacked(x, s), outputs = stacked(cotangent, s);
  return transpose ? matmul(swapaxes(outputs, 0, 1, s), rows, s) : matmul(swapaxes(rows, 0, 1, s), outputs, s);
}

ShapeElem block_row_values(const char* op, const array& w, BlockFormat format) {
  const BlockLayout layout = block_layout(format);
  if (w.dtype() != uint8 || w.ndim() == 0 || w.shape(-1) % layout.bytes != 0) {
    ops::fail(op, std::string(block_format_name(format)) + " weights must be uint8 with rows of a multiple of " +
                      std::to_string(layout.bytes) + " bytes; got " + std::string(name_of(w.dtype())) + " of shape " +
                      ops::to_text(w.shape()));
  }
  return static_cast<ShapeElem>(w.shape(-1) / layout.bytes * layout.values);
}

array block_product(const array& x, const array& w, BlockFormat format, bool transpose, Stream stream) {
  constexpr const char* kOp = "block_quantized_matmul";
  check_float(kOp, "x", x.dtype());
  if (w.ndim() != 2) ops::fail(kOp, "weights must have two dimensions; got " + ops::to_text(w.shape()));
  const ShapeElem values = block_row_values(kOp, w, format);
  Shape shape = transpose ? product_shape(kOp, x, values, w.shape(0), w) : product_shape(kOp, x, w.shape(0), values, w);
  return ops::make<BlockQuantizedMatmul>(std::move(shape), x.dtype(), stream, {x, w}, format, transpose);
}

}  // namespace

bool Quantize::is_equivalent(const Primitive& other) const {
  return spec_ == static_cast<const Quantize&>(other).spec_;
}

bool Dequantize::is_equivalent(const Primitive& other) const {
  return spec_ == static_cast<const Dequantize&>(other).spec_;
}

bool QuantizedMatmul::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const QuantizedMatmul&>(other);
  return spec_ == o.spec_ && transpose_ == o.transpose_;
}

bool BlockDequantize::is_equivalent(const Primitive& other) const {
  return format_ == static_cast<const BlockDequantize&>(other).format_;
}

bool BlockQuantizedMatmul::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const BlockQuantizedMatmul&>(other);
  return format_ == o.format_ && transpose_ == o.transpose_;
}

std::vector<array> Dequantize::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                   const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) ops::fail("Dequantize::vjp", kFixed);
    products.push_back(affine_cotangent(cotangents[0], primals[0], primals[1], spec_, argnum == 1, stream()));
  }
  return products;
}

std::vector<array> QuantizedMatmul::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                        const std::vector<int>& argnums, const std::vector<array>&) {
  const array &x = primals[0], &w = primals[1], &scales = primals[2], &biases = primals[3];
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      products.push_back(
          quantized_matmul(cotangents[0], w, scales, biases, !transpose_, spec_.group_size, spec_.bits, stream()));
    } else if (argnum == 1) {
      ops::fail("QuantizedMatmul::vjp", kFixed);
    } else {
      const array gradient = weights_cotangent(x, cotangents[0], transpose_, stream());
      products.push_back(affine_cotangent(gradient, w, scales, spec_, argnum == 2, stream()));
    }
  }
  return products;
}

std::vector<array> BlockQuantizedMatmul::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                             const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum != 0) ops::fail("BlockQuantizedMatmul::vjp", kFixed);
    products.push_back(block_product(cotangents[0], primals[1], format_, !transpose_, stream()));
  }
  return products;
}

std::vector<array> quantize(const array& w, int group_size, int bits, StreamOrDevice s) {
  const AffineSpec spec = check_spec("quantize", group_size, bits);
  check_float("quantize", "w", w.dtype());
  if (w.ndim() < 2 || w.shape(-1) % group_size != 0) {
    ops::fail("quantize", "w of shape " + ops::to_text(w.shape()) +
                              " needs two or more dimensions, the last a multiple of the group size " +
                              std::to_string(group_size));
  }
  Shape packed = w.shape(), groups = w.shape();
  packed[packed.size() - 1] = static_cast<ShapeElem>(int64_t{w.shape(-1)} * bits / 32);
  groups[groups.size() - 1] /= group_size;
  return array::make_arrays({packed, groups, groups}, {uint32, w.dtype(), w.dtype()},
                            std::make_shared<Quantize>(to_stream(s), spec), {w});
}

array dequantize(const array& w, const array& scales, const array& biases, int group_size, int bits, StreamOrDevice s) {
  const AffineSpec spec = check_spec("dequantize", group_size, bits);
  const Stream stream = to_stream(s);
  Shape shape = w.shape();
  const ShapeElem values = check_affine("dequantize", w, scales, biases, spec);
  shape[shape.size() - 1] = values;
  return ops::make<Dequantize>(std::move(shape), scales.dtype(), stream,
                               {w, scales, astype(biases, scales.dtype(), stream)}, spec);
}

array quantized_matmul(const array& x, const array& w, const array& scales, const std::optional<array>& biases,
                       bool transpose, int group_size, int bits, StreamOrDevice s) {
  constexpr const char* kOp = "quantized_matmul";
  const AffineSpec spec = check_spec(kOp, group_size, bits);
  const Stream stream = to_stream(s);
  if (!biases) ops::fail(kOp, "affine quantization needs biases");
  check_float(kOp, "x", x.dtype());
  const ShapeElem values = check_affine(kOp, w, scales, *biases, spec);
  if (w.ndim() != 2) ops::fail(kOp, "packed weights must have two dimensions; got " + ops::to_text(w.shape()));
  Shape shape = transpose ? product_shape(kOp, x, values, w.shape(0), w) : product_shape(kOp, x, w.shape(0), values, w);
  return ops::make<QuantizedMatmul>(std::move(shape), x.dtype(), stream,
                                    {x, w, scales, astype(*biases, scales.dtype(), stream)}, spec, transpose);
}

array block_quantized_matmul(const array& x, const array& w, BlockFormat format, StreamOrDevice s) {
  return block_product(x, w, format, true, to_stream(s));
}

array block_dequantize(const array& w, BlockFormat format, Dtype dtype, StreamOrDevice s) {
  check_float("block_dequantize", "the result", dtype);
  Shape shape = w.shape();
  const ShapeElem values = block_row_values("block_dequantize", w, format);
  shape[shape.size() - 1] = values;
  return ops::make<BlockDequantize>(std::move(shape), dtype, to_stream(s), {w}, format);
}

}  // namespace plimsoll
