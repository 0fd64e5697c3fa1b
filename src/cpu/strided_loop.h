// Walking several strided operands together, row by row: kernels handle the last axis, the cursor the axes before it.
#pragma once

#include <array>
#include <cstdint>

#include "base/parallel.h"
#include "graph/layout.h"

namespace plimsoll::cpu {

// Rows of N operands over collapsed axes. Offsets are in elements.
template <size_t N>
class RowCursor {
 public:
  explicit RowCursor(const CollapsedAxes& axes) : axes_(axes), position_(axes.shape.size() - 1, 0) {}

  // Number of rows: all axes but the last.
  static int64_t count(const CollapsedAxes& axes) {
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < axes.shape.size(); ++i) rows *= axes.shape[i];
    return rows;
  }

  void seek(int64_t row) {
    offsets_.fill(0);
    for (size_t i = position_.size(); i-- > 0;) {
      position_[i] = row % axes_.shape[i];
      row /= axes_.shape[i];
      for (size_t k = 0; k < N; ++k) offsets_[k] += position_[i] * axes_.strides[k][i];
    }
  }

  void next() {
    for (size_t i = position_.size(); i-- > 0;) {
      for (size_t k = 0; k < N; ++k) offsets_[k] += axes_.strides[k][i];
      if (++position_[i] < axes_.shape[i]) return;
      for (size_t k = 0; k < N; ++k) offsets_[k] -= position_[i] * axes_.strides[k][i];
      position_[i] = 0;
    }
  }

  int64_t offset(size_t operand) const { return offsets_[operand]; }

 private:
  const CollapsedAxes& axes_;
  SmallVector<int64_t> position_;
  std::array<int64_t, N> offsets_{};
};

// Elements below which splitting work over threads costs more than it gives.
inline constexpr int64_t kParallelGrain = 1 << 15;

// Calls row(offsets..., length) for every row of N operands, in parallel: `row` takes a cursor and the row length. A
// single row is split into pieces along the last axis.
template <size_t N, typename Row>
void for_each_row(const CollapsedAxes& axes, Row&& row) {
  const int64_t rows = RowCursor<N>::count(axes);
  const int64_t length = axes.shape.back();
  if (rows == 0 || length == 0) return;
  if (rows == 1) {
    base::parallel_for(length, kParallelGrain, [&](int64_t begin, int64_t end) {
      std::array<int64_t, N> offsets;
      for (size_t k = 0; k < N; ++k) offsets[k] = begin * axes.strides[k].back();
      row(offsets, end - begin);
    });
    return;
  }
  base::parallel_for(rows, kParallelGrain / length + 1, [&](int64_t begin, int64_t end) {
    RowCursor<N> cursor(axes);
    cursor.seek(begin);
    std::array<int64_t, N> offsets;
    for (int64_t i = begin; i < end; ++i, cursor.next()) {
      for (size_t k = 0; k < N; ++k) offsets[k] = cursor.offset(k);
      row(offsets, length);
    }
  });
}

}  // namespace plimsoll::cpu
