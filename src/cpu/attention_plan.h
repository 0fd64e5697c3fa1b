// How attention is cut into tasks, and what each needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/attention_kernel.h"

namespace plimsoll::cpu {

inline constexpr int64_t kTileKeys = 64;     // keys whose scores are held at a time
inline constexpr int64_t kPanelBytes = 192;  // a panel's widest row: three vectors of 64 bytes
inline constexpr int kMaxPanels = 4;         // panels that share a tile of keys

// Up to this many query rows a key/value head goes by dot products along the head dimension.
inline constexpr int64_t kFewRows = 8;
// Keys of a part; a part is the unit of work for few rows.
inline constexpr int64_t kPartKeys = 512;

inline constexpr size_t kAlignment = 64;
inline size_t aligned_bytes(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Cuts aligned pieces from scratch.
class Carver {
 public:
  explicit Carver(std::byte* next) : next_(next) {}
  template <typename T>
  T* take(int64_t count) {
    T* piece = reinterpret_cast<T*>(next_);
    next_ += aligned_bytes(static_cast<size_t>(count) * sizeof(T));
    return piece;
  }

 private:
  std::byte* next_;
};

// Whether the problem goes by dot products: few rows, and columns that vectors can load.
inline bool has_few_rows(const Attention& p) {
  return p.queries * (p.query_heads / p.kv_heads) <= kFewRows && p.k.strides[3] == 1 && p.v.strides[3] == 1;
}

// The softmax state of query rows over part of the keys.
template <typename C>
struct PartialRows {
  C* maxima;
  C* totals;
  C* sums;         // [rows][stride]
  int64_t stride;  // value_dim, rounded up to whole vectors
};

// The states of one key/value head's parts, one behind the other in memory.
template <typename C>
class PartialStore {
 public:
  PartialStore(const Attention& p, std::byte* data)
      : data_(data), rows_(p.queries * (p.query_heads / p.kv_heads)), stride_((p.value_dim + 15) / 16 * 16) {}

  size_t part_bytes() const {
    return 2 * aligned_bytes(static_cast<size_t>(rows_) * sizeof(C)) +
           aligned_bytes(static_cast<size_t>(rows_ * stride_) * sizeof(C));
  }
  PartialRows<C> part(int64_t index) const {
    Carver carver(data_ + static_cast<size_t>(index) * part_bytes());
    C* maxima = carver.take<C>(rows_);
    C* totals = carver.take<C>(rows_);
    return {maxima, totals, carver.take<C>(rows_ * stride_), stride_};
  }

 private:
  std::byte* data_;
  int64_t rows_;
  int64_t stride_;
};

}  // namespace plimsoll::cpu
