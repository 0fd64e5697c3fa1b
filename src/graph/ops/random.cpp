#include "graph/ops/random.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "plimsoll/ops.h"
#include "plimsoll/random.h"
#include "graph/ops/common.h"
#include "graph/ops/threefry.h"

namespace plimsoll {

std::vector<array> RandomBits::vjp(const std::vector<array>& primals, const std::vector<array>&,
                                   const std::vector<int>&, const std::vector<array>&) {
  return {zeros_like(primals[0], stream())};
}

namespace random {
namespace {

array make_key(Threefry key) { return array({key.key0, key.key1}); }

// Splits in two on the host, as split() would, so that keys never form a chain of unevaluated arrays.
class KeySequence {
 public:
  explicit KeySequence(uint64_t seed) { restart(seed); }
  void restart(uint64_t seed) { key_ = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)}; }
  array next() {
    const Threefry::Block first = key_(0, 2);
    const Threefry::Block second = key_(1, 3);
    key_ = {first.x0, second.x0};
    return make_key({first.x1, second.x1});
  }

 private:
  Threefry key_{};
};

KeySequence& thread_sequence() {
  thread_local KeySequence sequence(
      static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1)));
  return sequence;
}

Dtype bits_dtype(int width) {
  switch (width) {
    case 1:
      return uint8;
    case 2:
      return uint16;
    case 4:
      return uint32;
    default:
      ops::fail("bits", "width must be 1, 2 or 4 bytes; got " + std::to_string(width));
  }
}

void require_float(const char* op, Dtype dtype) {
  if (dtype != float32 && dtype != float16 && dtype != bfloat16) {
    ops::fail(op, "needs float32, float16 or bfloat16; got " + std::string(name_of(dtype)));
  }
}

// The largest number below 1.
float below_one(Dtype dtype) {
  switch (dtype.val()) {
    case Dtype::Val::float16:
      return 1.0f - 0x1p-11f;
    case Dtype::Val::bfloat16:
      return 1.0f - 0x1p-8f;
    default:
      return 1.0f - 0x1p-24f;
  }
}

// In (-1, 1), float32.
array symmetric(const Shape& shape, const Key& key, StreamOrDevice s) {
  return uniform(array(std::nextafter(-1.0f, 0.0f)), array(1.0f), shape, float32, key, s);
}

array draw_categorical(const array& logits, int axis, Shape shape, const Key& key, StreamOrDevice s) {
  // The axis lies as far from the end in the noise as in the logits.
  const int position = axis + static_cast<int>(shape.size()) + 1 - static_cast<int>(logits.ndim());
  shape.insert(shape.begin() + position, logits.shape()[axis]);
  return argmax(add(gumbel(shape, float32, key, s), logits, s), position, false, s);
}

Shape without_axis(Shape shape, int axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

}  // namespace

array key(uint64_t seed) { return make_key({static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)}); }

void seed(uint64_t seed) { thread_sequence().restart(seed); }

array split(const array& key, int num, StreamOrDevice s) { return bits({num, 2}, 4, key, s); }

std::pair<array, array> split(const array& key, StreamOrDevice s) {
  const array keys = bits({2, 2}, 4, key, s);
  return {take(keys, 0, 0, s), take(keys, 1, 0, s)};
}

array bits(const Shape& shape, int width, const Key& key, StreamOrDevice s) {
  element_count(shape);
  const array used = key ? *key : thread_sequence().next();
  if (used.dtype() != uint32 || used.shape() != Shape{2}) {
    ops::fail("bits", "a key is uint32 of shape (2); got " + std::string(name_of(used.dtype())) + " of shape " +
                          ops::to_text(used.shape()));
  }
  return ops::make<RandomBits>(shape, bits_dtype(width), to_stream(s), {used});
}

array uniform(const array& low, const array& high, const Shape& shape, Dtype dtype, const Key& key, StreamOrDevice s) {
  require_float("uniform", dtype);
  const Stream stream = to_stream(s);
  const array from = astype(low, dtype, stream);
  const array range = subtract(astype(high, dtype, stream), from, stream);
  if (broadcast_shapes(shape, range.shape()) != shape) {
    ops::fail("uniform",
              "bounds of shape " + ops::to_text(range.shape()) + " do not broadcast to " + ops::to_text(shape));
  }
  const array unit = divide(bits(shape, 4, key, stream), array(0x1p32f), stream);
  const array below = astype(minimum(unit, array(below_one(dtype)), stream), dtype, stream);
  return add(multiply(range, below, stream), from, stream);
}

array uniform(const Shape& shape, Dtype dtype, const Key& key, StreamOrDevice s) {
  require_float("uniform", dtype);
  return uniform(array(0.0f, dtype), array(1.0f, dtype), shape, dtype, key, s);
}

array normal(const Shape& shape, Dtype dtype, const std::optional<array>& loc, const std::optional<array>& scale,
             const Key& key, StreamOrDevice s) {
  require_float("normal", dtype);
  const Stream stream = to_stream(s);
  array factor(static_cast<float>(std::sqrt(2.0)), dtype);
  if (scale) factor = multiply(factor, astype(*scale, dtype, stream), stream);
  const array samples = astype(erfinv(symmetric(shape, key, stream), stream), dtype, stream);
  const array scaled = multiply(factor, samples, stream);
  return loc ? add(astype(*loc, dtype, stream), scaled, stream) : scaled;
}

array normal(const Shape& shape, Dtype dtype, float loc, float scale, const Key& key, StreamOrDevice s) {
  const auto unless = [](float value, float neutral) {
    return value == neutral ? std::nullopt : std::optional<array>(array(value));
  };
  return normal(shape, dtype, unless(loc, 0.0f), unless(scale, 1.0f), key, s);
}

array truncated_normal(const array& lower, const array& upper, const Shape& shape, Dtype dtype, const Key& key,
                       StreamOrDevice s) {
  require_float("truncated_normal", dtype);
  const array root2(static_cast<float>(std::sqrt(2.0)), dtype);
  const array low = astype(lower, dtype, s);
  const array high = astype(upper, dtype, s);
  const array u = uniform(erf(divide(low, root2, s), s), erf(divide(high, root2, s), s), shape, dtype, key, s);
  return maximum(minimum(high, multiply(root2, erfinv(u, s), s), s), low, s);
}

array laplace(const Shape& shape, Dtype dtype, float loc, float scale, const Key& key, StreamOrDevice s) {
  require_float("laplace", dtype);
  const array u = symmetric(shape, key, s);
  const array samples = multiply(sign(u, s), log1p(negative(abs(u, s), s), s), s);
  return add(array(loc, dtype), multiply(array(scale, dtype), astype(samples, dtype, s), s), s);
}

array gumbel(const Shape& shape, Dtype dtype, const Key& key, StreamOrDevice s) {
  return negative(log(negative(log(uniform(shape, dtype, key, s), s), s), s), s);
}

array randint(const array& low, const array& high, const Shape& shape, Dtype dtype, const Key& key, StreamOrDevice s) {
  if (issubdtype(dtype, inexact)) ops::fail("randint", "needs an integer dtype; got " + std::string(name_of(dtype)));
  const array drawn = astype(floor(uniform(low, high, shape, float32, key, s), s), dtype, s);
  // Bounds beyond 2^24 are rounded in float32: clamp to the true ones.
  const array last = astype(subtract(high, array(1, high.dtype()), s), dtype, s);
  return maximum(minimum(drawn, last, s), astype(low, dtype, s), s);
}

array bernoulli(const array& p, const Shape& shape, const Key& key, StreamOrDevice s) {
  if (!issubdtype(p.dtype(), floating)) {
    ops::fail("bernoulli", "the probability must be a float; got " + std::string(name_of(p.dtype())));
  }
  if (broadcast_shapes(shape, p.shape()) != shape) {
    ops::fail("bernoulli", "p of shape " + ops::to_text(p.shape()) + " does not broadcast to " + ops::to_text(shape));
  }
  // A little above all 32-bit numbers, so that p = 1 is always true.
  const array scale(std::nextafter(0x1p32f, std::numeric_limits<float>::max()));
  return less(bits(shape, 4, key, s), multiply(p, scale, s), s);
}

array bernoulli(const array& p, const Key& key, StreamOrDevice s) { return bernoulli(p, p.shape(), key, s); }

array categorical(const array& logits, int axis, const Shape& shape, const Key& key, StreamOrDevice s) {
  const int index = ops::normalize_axis("categorical", axis, logits.ndim());
  const Shape reduced = without_axis(logits.shape(), index);
  if (broadcast_shapes(shape, reduced) != shape) {
    ops::fail("categorical",
              "logits reduced to shape " + ops::to_text(reduced) + " do not broadcast to " + ops::to_text(shape));
  }
  return draw_categorical(logits, index, shape, key, s);
}

array categorical(const array& logits, int axis, int num_samples, const Key& key, StreamOrDevice s) {
  const int index = ops::normalize_axis("categorical", axis, logits.ndim());
  Shape shape = without_axis(logits.shape(), index);
  shape.push_back(num_samples);
  return draw_categorical(expand_dims(logits, -1, s), index, std::move(shape), key, s);
}

array categorical(const array& logits, int axis, const Key& key, StreamOrDevice s) {
  const int index = ops::normalize_axis("categorical", axis, logits.ndim());
  return draw_categorical(logits, index, without_axis(logits.shape(), index), key, s);
}

array permutation(const array& x, int axis, const Key& key, StreamOrDevice s) {
  return take(x, permutation(x.shape(axis), key, s), axis, s);
}

array permutation(int n, const Key& key, StreamOrDevice s) { return argsort(bits({n}, 4, key, s), s); }

}  // namespace random
}  // namespace plimsoll
