// Element-by-element work on rows of any floating dtype and stride, in blocks that stay in the first-level cache:
// kernels then exist for float32 alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "plimsoll/dtype.h"
#include "cpu/float_rows.h"

namespace plimsoll::cpu {

inline constexpr int64_t kBlock = 1024;  // elements

// One operand of a row: presents any part of it as contiguous float32.
template <typename T>
class FloatSource {
 public:
  FloatSource(const T* row, int64_t stride) : row_(row), stride_(stride) {}

  // Elements [i, i + n), n <= kBlock; valid until the next call.
  const float* read(int64_t i, int64_t n) {
    if (stride_ == 0) return broadcast(n);
    if constexpr (std::is_same_v<T, float>) {
      if (stride_ == 1) return row_ + i;
    }
    const T* from = row_ + i * stride_;
    if constexpr (!std::is_same_v<T, float>) {
      if (stride_ == 1) {
        widen_row(from, TypeToDtype<T>(), n, block_);
        return block_;
      }
    }
    for (int64_t j = 0; j < n; ++j) block_[j] = static_cast<float>(from[j * stride_]);
    return block_;
  }

 private:
  const float* broadcast(int64_t n) {
    for (; filled_ < n; ++filled_) block_[filled_] = static_cast<float>(*row_);
    return block_;
  }

  const T* row_;
  int64_t stride_;
  int64_t filled_ = 0;
  alignas(64) float block_[kBlock];
};

// The result of a row: takes contiguous float32 and stores it as T.
template <typename T>
class FloatSink {
 public:
  FloatSink(T* row, int64_t stride) : row_(row), stride_(stride) {}

  // Where to put elements [i, i + n).
  float* begin(int64_t i) {
    if constexpr (std::is_same_v<T, float>) {
      if (stride_ == 1) return row_ + i;
    }
    return block_;
  }

  // Stores what was put there.
  void end(int64_t i, int64_t n) {
    if constexpr (std::is_same_v<T, float>) {
      if (stride_ == 1) return;
    }
    T* to = row_ + i * stride_;
    if constexpr (!std::is_same_v<T, float>) {
      if (stride_ == 1) {
        narrow_row(block_, n, TypeToDtype<T>(), to);
        return;
      }
    }
    for (int64_t j = 0; j < n; ++j) to[j * stride_] = T(block_[j]);
  }

 private:
  T* row_;
  int64_t stride_;
  alignas(64) float block_[kBlock];
};

// Calls f(i, n) over [0, count) in blocks.
template <typename F>
void for_blocks(int64_t count, F&& f) {
  for (int64_t i = 0; i < count; i += kBlock) f(i, std::min(kBlock, count - i));
}

}  // namespace plimsoll::cpu
