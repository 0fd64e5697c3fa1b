#include "plimsoll/lm/kv_cache.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"

namespace plimsoll::lm {

namespace {

constexpr int kLeastGrowth = 256;  // rows

}  // namespace

KvCache::KvCache(const Config& config, Dtype dtype, const KvCacheOptions& options)
    : kv_heads_(config.kv_heads), head_dim_(config.head_dim), max_rows_(options.max_rows), dtype_(dtype) {
  const array empty = zeros(shape(0), dtype);
  layers_.assign(static_cast<size_t>(config.layers), Layer{empty, empty});
  reserve(options.reserve_rows);
}

size_t KvCache::nbytes() const {
  size_t bytes = 0;
  for (const Layer& layer : layers_) bytes += layer.keys.nbytes() + layer.values.nbytes();
  return bytes;
}

Shape KvCache::shape(int capacity) const { return {1, capacity, kv_heads_ * head_dim_}; }

void KvCache::reserve(int rows, bool exact) {
  if (max_rows_ > 0 && rows > max_rows_) {
    throw std::length_error(
        fmt::format("[KvCache] {} tokens do not fit the key/value cache, which is capped at {}", rows, max_rows_));
  }
  if (rows <= capacity_) return;
  int wanted = rows;
  if (!exact) {
    wanted = std::max({rows, capacity_ + capacity_ / 2, capacity_ + kLeastGrowth});
    if (max_rows_ > 0) wanted = std::min(wanted, max_rows_);
  }
  // Layer by layer, so that old and new rows of one layer alone stand side by side. After a refusal the layers before
  // it have room that is not counted on.
  for (Layer& layer : layers_) {
    for (array* stored : {&layer.keys, &layer.values}) {
      if (stored->shape(1) >= wanted) continue;
      array bigger = grown(*stored, wanted);
      eval(bigger);
      *stored = std::move(bigger);
    }
  }
  capacity_ = wanted;
}

array KvCache::grown(const array& old, int capacity) const {
  const array fresh = zeros(shape(capacity), dtype_);
  if (rows_ == 0) return contiguous(fresh);
  const Shape stop = shape(rows_);
  return slice_update(fresh, slice(old, {0, 0, 0}, stop), {0, 0, 0}, stop);
}

void KvCache::trim(int rows) {
  if (rows < 0 || rows > rows_) {
    throw std::out_of_range(fmt::format("[KvCache] cannot keep {} tokens of {}", rows, rows_));
  }
  rows_ = rows;
}

array KvCache::all_rows(const array& stored, int rows) const {
  const int64_t row = int64_t{kv_heads_} * head_dim_;
  return as_strided(stored, {1, kv_heads_, rows, head_dim_}, {stored.shape(1) * row, head_dim_, row, 1}, 0);
}

std::pair<array, array> KvCache::append(int layer, const array& keys, const array& values) {
  const int after = rows_ + keys.shape(1);
  const Shape start{0, rows_, 0};
  const Shape stop = shape(after);
  Layer& held = layers_[static_cast<size_t>(layer)];
  held.keys = slice_update(held.keys, keys, start, stop);
  held.values = slice_update(held.values, values, start, stop);
  return {all_rows(held.keys, after), all_rows(held.values, after)};
}

std::vector<array> KvCache::arrays() const {
  std::vector<array> all;
  for (const Layer& layer : layers_) {
    all.push_back(layer.keys);
    all.push_back(layer.values);
  }
  return all;
}

}  // namespace plimsoll::lm
