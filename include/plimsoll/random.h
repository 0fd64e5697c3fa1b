// Random numbers from splittable keys (Threefry-2x32), MLX's for the same key. Functions without a key draw one from
// the calling thread's default sequence, which starts from the clock until `seed` is called on that thread.
#pragma once

#include <optional>
#include <utility>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll::random {

using Key = std::optional<array>;

// A key: uint32 [2].
array key(uint64_t seed);
// Restarts the calling thread's default sequence of keys.
void seed(uint64_t seed);
// `num` independent keys, uint32 [num, 2]; without num a pair.
array split(const array& key, int num, StreamOrDevice s = {});
std::pair<array, array> split(const array& key, StreamOrDevice s = {});

// Uniform random bits: uint8, uint16 or uint32 elements for width 1, 2, 4 (bytes).
array bits(const Shape& shape, int width, const Key& key = std::nullopt, StreamOrDevice s = {});
inline array bits(const Shape& shape, const Key& key = std::nullopt, StreamOrDevice s = {}) {
  return bits(shape, 4, key, s);
}

// In [low, high), which broadcast to `shape`. dtype: float32, float16 or bfloat16.
array uniform(const array& low, const array& high, const Shape& shape, Dtype dtype = float32,
              const Key& key = std::nullopt, StreamOrDevice s = {});
template <HasDtype T, HasDtype U>
array uniform(T low, U high, const Shape& shape, Dtype dtype = float32, const Key& key = std::nullopt,
              StreamOrDevice s = {}) {
  return uniform(array(low), array(high), shape, dtype, key, s);
}
array uniform(const Shape& shape, Dtype dtype, const Key& key = std::nullopt, StreamOrDevice s = {});
inline array uniform(const Shape& shape, const Key& key = std::nullopt, StreamOrDevice s = {}) {
  return uniform(shape, float32, key, s);
}

// Of mean `loc` and standard deviation `scale`, which broadcast to `shape`; of 0 and 1 where absent.
array normal(const Shape& shape, Dtype dtype, const std::optional<array>& loc, const std::optional<array>& scale,
             const Key& key, StreamOrDevice s = {});
array normal(const Shape& shape, Dtype dtype, float loc, float scale, const Key& key = std::nullopt,
             StreamOrDevice s = {});
inline array normal(const Shape& shape, float loc, float scale, const Key& key = std::nullopt, StreamOrDevice s = {}) {
  return normal(shape, float32, loc, scale, key, s);
}
inline array normal(const Shape& shape, Dtype dtype, const Key& key = std::nullopt, StreamOrDevice s = {}) {
  return normal(shape, dtype, std::nullopt, std::nullopt, key, s);
}
inline array normal(const Shape& shape, const Key& key = std::nullopt, StreamOrDevice s = {}) {
  return normal(shape, float32, std::nullopt, std::nullopt, key, s);
}

// The standard normal distribution between `lower` and `upper`.
array truncated_normal(const array& lower, const array& upper, const Shape& shape, Dtype dtype = float32,
                       const Key& key = std::nullopt, StreamOrDevice s = {});
array laplace(const Shape& shape, Dtype dtype = float32, float loc = 0.0f, float scale = 1.0f,
              const Key& key = std::nullopt, StreamOrDevice s = {});
array gumbel(const Shape& shape, Dtype dtype = float32, const Key& key = std::nullopt, StreamOrDevice s = {});

// Integers in [low, high), from 24 random bits. dtype: an integer or bool_.
array randint(const array& low, const array& high, const Shape& shape, Dtype dtype = int32,
              const Key& key = std::nullopt, StreamOrDevice s = {});
template <HasDtype T, HasDtype U>
array randint(T low, U high, const Shape& shape, Dtype dtype = int32, const Key& key = std::nullopt,
              StreamOrDevice s = {}) {
  return randint(array(low), array(high), shape, dtype, key, s);
}

// True with probability p, which broadcasts to `shape`.
array bernoulli(const array& p, const Shape& shape, const Key& key = std::nullopt, StreamOrDevice s = {});
array bernoulli(const array& p, const Key& key = std::nullopt, StreamOrDevice s = {});

// Draws from softmax(logits) along an axis, as uint32 indices: of the logits' shape without the axis, of `shape`, to
// which that must broadcast, or that shape with `num_samples` behind it.
array categorical(const array& logits, int axis, const Shape& shape, const Key& key = std::nullopt,
                  StreamOrDevice s = {});
array categorical(const array& logits, int axis, int num_samples, const Key& key = std::nullopt, StreamOrDevice s = {});
array categorical(const array& logits, int axis = -1, const Key& key = std::nullopt, StreamOrDevice s = {});

// The elements along an axis in random order; the numbers below n in random order, as uint32.
array permutation(const array& x, int axis = 0, const Key& key = std::nullopt, StreamOrDevice s = {});
array permutation(int n, const Key& key = std::nullopt, StreamOrDevice s = {});

}  // namespace plimsoll::random
