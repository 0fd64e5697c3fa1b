// Walking rows along the last axis, in parallel, whatever the layout of the axes before it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/parallel.h"
#include "cpu/copy.h"
#include "cpu/strided_loop.h"
#include "graph/tensor.h"

namespace plimsoll::cpu {

// All axes but the last, joined where all operands allow, as if each row were one element of `length`.
template <size_t N>
CollapsedAxes rows_of(const Shape& shape, const std::array<Strides, N>& strides) {
  std::array<Strides, N> outer;
  for (size_t k = 0; k < N; ++k) outer[k] = Strides(strides[k].begin(), strides[k].end() - 1);
  CollapsedAxes axes = collapse_axes(Shape(shape.begin(), shape.end() - 1), outer);
  axes.shape.push_back(shape.back());
  for (size_t k = 0; k < N; ++k) axes.strides[k].push_back(strides[k].back());
  return axes;
}

// Calls row(offsets) for each row of N operands of one shape with at least one axis; offsets in elements.
template <size_t N, typename Row>
void for_each_last_axis(const Shape& shape, const std::array<Strides, N>& strides, Row&& row) {
  const CollapsedAxes axes = rows_of(shape, strides);
  const int64_t grain = kParallelGrain / (axes.shape.back() + 1) + 1;
  base::parallel_for(RowCursor<N>::count(axes), grain, [&](int64_t begin, int64_t end) {
    RowCursor<N> cursor(axes);
    cursor.seek(begin);
    std::array<int64_t, N> offsets;
    for (int64_t i = begin; i < end; ++i, cursor.next()) {
      for (size_t k = 0; k < N; ++k) offsets[k] = cursor.offset(k);
      row(offsets);
    }
  });
}

// Whether the elements of each row lie side by side.
inline bool has_whole_rows(const Tensor& t) { return t.dim(-1) <= 1 || t.stride(-1) == 1; }

// The operand that a kernel on whole rows reads: `in` itself, or, where its rows are strided, a copy of it in `out`, of
// the same shape and dtype, to be worked on in place. Both outlive the kernel.
// NOLINTBEGIN(bugprone-return-const-ref-from-parameter)
inline const Tensor& rows_in_place(const Tensor& in, const Tensor& out) {
  if (has_whole_rows(in)) return in;
  copy_tensor(in, out);
  return out;
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

// Runs task(index, scratch of the worker) for every index on up to `workers` workers, each with its own scratch.
template <typename F>
void run_on_workers(int64_t tasks, int64_t workers, std::byte* scratch, size_t worker_bytes, F task) {
  std::atomic<int64_t> next{0};
  base::parallel_for(std::min(tasks, workers), 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) {
      std::byte* own = scratch + static_cast<size_t>(worker) * worker_bytes;
      for (int64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) task(index, own);
    }
  });
}

}  // namespace plimsoll::cpu
