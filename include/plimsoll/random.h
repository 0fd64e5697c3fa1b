// Random numbers from splittable keys (Threefry-2x32), MLX's for the same key. Functions without a key draw one from
// the calling thread's default sequence.
#pragma once

#include <optional>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll::random {

// A key: uint32 [2].
array key(uint64_t seed);
// Restarts the default sequence of keys.
void seed(uint64_t seed);
// `num` independent keys, uint32 [num, 2]; without num a pair.
array split(const array& key, int num, StreamOrDevice s = {});
std::pair<array, array> split(const array& key, StreamOrDevice s = {});

// Uniform random bits: uint8, uint16 or uint32 elements for width 1, 2, 4 (bytes).
array bits(const Shape& shape, int width = 4, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
// In [low, high).
array uniform(const array& low, const array& high, const Shape& shape, Dtype dtype = float32,
              const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array uniform(const Shape& shape, Dtype dtype = float32, const std::optional<array>& key = std::nullopt,
              StreamOrDevice s = {});
array normal(const Shape& shape, Dtype dtype = float32, float loc = 0.0f, float scale = 1.0f,
             const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array randint(const array& low, const array& high, const Shape& shape, Dtype dtype = int32,
              const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
array bernoulli(const array& p, const Shape& shape, const std::optional<array>& key = std::nullopt,
                StreamOrDevice s = {});
array gumbel(const Shape& shape, Dtype dtype = float32, const std::optional<array>& key = std::nullopt,
             StreamOrDevice s = {});
// Draws from softmax(logits) along an axis, as uint32 indices.
array categorical(const array& logits, int axis = -1, const std::optional<array>& key = std::nullopt,
                  StreamOrDevice s = {});

}  // namespace plimsoll::random
