// How attention is cut into tasks, and what each needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/attention.h"

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

}  // namespace plimsoll::cpu
