// Where the blocked product takes its operands from and where its results go, behind virtual calls made once per panel
// or per short row of outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::cpu {

// One operand as a set of vectors of length K: rows of a, columns of b, rows of quantized weights.
template <typename T>
class PanelSource {
 public:
  virtual ~PanelSource() = default;

  // out[r * stride + k] = element k of vector first + r, for r < count.
  virtual void fill_rows(int64_t first, int64_t count, T* out, int64_t stride) const = 0;

  // Element 0 of vector `first` when vectors lie in memory just as fill_rows would write them, `*stride` apart; else
  // null.
  virtual const T* direct_rows(int64_t /*first*/, int64_t* /*stride*/) const { return nullptr; }

  // Whether consecutive vectors are neighbours in memory, so that fill_lanes is the cheap direction.
  virtual bool lanes_adjacent() const { return false; }

  // out[k * width + j] = element k of vector first + j for j < count, 0 for count <= j < width. Requires
  // lanes_adjacent().
  virtual void fill_lanes(int64_t /*first*/, int64_t /*count*/, int64_t /*width*/, T* /*out*/) const {}

  // Element 0 of vector `first` when lanes lie in memory just as a tile would, `*k_stride` apart in k; else null.
  virtual const T* direct_lanes(int64_t /*first*/, int64_t* /*k_stride*/) const { return nullptr; }
};

template <typename T>
class PanelSink {
 public:
  virtual ~PanelSink() = default;

  // Outputs [row, column .. column + count).
  virtual void write(int64_t row, int64_t column, const T* values, int64_t count) const = 0;
};

// outputs(i, j) = <vector i of rows, vector j of lanes>, i < row_count, j < lane_count, both of length K.
// `transposed`: output (i, j) goes to the sink's row j, column i.
template <typename T>
struct BlockedProduct {
  const PanelSource<T>* rows;
  int64_t row_count;
  const PanelSource<T>* lanes;
  int64_t lane_count;
  int64_t K;
  bool transposed;
  const PanelSink<T>* sink;
};

// Enough for any of the instruction sets that may be chosen.
template <typename T>
size_t blocked_scratch_bytes(int64_t row_count, int64_t lane_count, int64_t K);

template <typename T>
void multiply_blocked(const BlockedProduct<T>& product, void* scratch);

}  // namespace plimsoll::cpu
