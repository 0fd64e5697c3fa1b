#include "graph/ops/arg_reduce.h"

#include <algorithm>
#include <array>

#include "cpu/reduce_kernels.h"
#include "cpu/register.h"
#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kShortRow = 64;   // elements below which rows are compared element by element
constexpr int64_t kBlock = 4096;    // elements whose extremum is found before it is located
constexpr int64_t kMaxPieces = 64;  // of one row, compared in parallel
constexpr int64_t kTile = 256;      // outputs compared together

// 16-bit floats compare as float32, bool as an integer.
template <typename T>
using Comparable = std::conditional_t<is_half_v<T>, float, std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;

// Whether `x` displaces `best`, which came before it: the first NaN wins, then the first of the largest.
template <typename T>
bool displaces(Fold fold, const T& x, const T& best) {
  if (is_nan(best)) return false;
  return is_nan(x) || (fold == Fold::kMax ? is_less(best, x) : is_less(x, best));
}

// The first position of the extremum of contiguous elements.
template <typename T>
int64_t find_in_piece(Fold fold, const T* row, int64_t length) {
  using C = Comparable<T>;
  Total<T> best = fold_identity<Total<T>>(fold);
  int64_t block = 0;
  for (int64_t i = 0; i < length; i += kBlock) {
    const int64_t n = std::min(kBlock, length - i);
    Total<T> found = fold_identity<Total<T>>(fold);
    fold_rows(fold, TypeToDtype<T>(), {reinterpret_cast<const std::byte*>(row + i), 1, n, n, &found});
    if (!displaces(fold, found, best)) continue;
    best = found;
    block = i;
  }
  const int64_t end = std::min(length, block + kBlock);
  for (int64_t i = block; i < end; ++i) {
    const auto x = static_cast<Total<T>>(static_cast<C>(row[i]));
    if (x == best || (is_nan(x) && is_nan(best))) return i;
  }
  return block;
}

template <typename T>
int64_t find_in_row(Fold fold, const T* row, int64_t length) {
  const int64_t pieces = std::clamp<int64_t>(length / kParallelGrain, 1, kMaxPieces);
  std::array<int64_t, kMaxPieces> found;
  base::parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = length * i / pieces;
      found[i] = from + find_in_piece(fold, row + from, length * (i + 1) / pieces - from);
    }
  });
  using C = Comparable<T>;
  return *std::max_element(found.begin(), found.begin() + pieces, [&](int64_t a, int64_t b) {
    return displaces<C>(fold, static_cast<C>(row[b]), static_cast<C>(row[a]));
  });
}

// `count` outputs whose elements lie `step` apart, `outer_step` from output to output.
template <typename T>
void compare_tile(Fold fold, const T* source, int64_t length, int64_t step, int64_t count, int64_t outer_step,
                  uint32_t* out, int64_t out_step) {
  using C = Comparable<T>;
  C best[kTile];
  uint32_t index[kTile] = {};
  for (int64_t j = 0; j < count; ++j) best[j] = static_cast<C>(source[j * outer_step]);
  for (int64_t i = 1; i < length; ++i) {
    const T* row = source + i * step;
    for (int64_t j = 0; j < count; ++j) {
      const C x = static_cast<C>(row[j * outer_step]);
      if (!displaces(fold, x, best[j])) continue;
      best[j] = x;
      index[j] = static_cast<uint32_t>(i);
    }
  }
  for (int64_t j = 0; j < count; ++j) out[j * out_step] = index[j];
}

// All axes but the reduced one, with their strides in input and output.
CollapsedAxes outer_axes(const Tensor& in, const Tensor& out, int axis) {
  Shape shape;
  std::array<Strides, 2> strides;
  for (int i = 0; i < in.ndim(); ++i) {
    if (i == axis) continue;
    shape.push_back(in.shape[i]);
    strides[0].push_back(in.strides[i]);
    strides[1].push_back(out.strides[i]);
  }
  return collapse_axes(shape, strides);
}

template <typename T>
void arg_reduce(Fold fold, const Tensor& in, const Tensor& out, int axis) {
  const CollapsedAxes outer = outer_axes(in, out, axis);
  const int64_t length = in.shape[axis];
  const int64_t step = in.strides[axis];
  const bool by_rows = step == 1 && length >= kShortRow;
  const int64_t tile = by_rows ? 1 : kTile;
  const int64_t width = outer.shape.back();
  const int64_t tiles = (width + tile - 1) / tile;
  const int64_t grain = kParallelGrain / (length * std::min(tile, width)) + 1;
  base::parallel_for(RowCursor<2>::count(outer) * tiles, grain, [&](int64_t begin, int64_t end) {
    RowCursor<2> cursor(outer);
    for (int64_t task = begin; task < end; ++task) {
      if (task == begin || task % tiles == 0) cursor.seek(task / tiles);
      const int64_t first = task % tiles * tile;
      const T* source = in.as<T>() + cursor.offset(0) + first * outer.strides[0].back();
      uint32_t* to = out.as<uint32_t>() + cursor.offset(1) + first * outer.strides[1].back();
      if (by_rows) {
        *to = static_cast<uint32_t>(find_in_row(fold, source, length));
      } else {
        compare_tile(fold, source, length, step, std::min(tile, width - first), outer.strides[0].back(), to,
                     outer.strides[1].back());
      }
    }
  });
}

void run(const Primitive& primitive, const Task& task) {
  const auto& reduce = static_cast<const ArgReduce&>(primitive);
  const Fold fold = reduce.kind() == ArgReduce::Kind::kArgMax ? Fold::kMax : Fold::kMin;
  if (task.outputs[0].size == 0) return;
  dispatch_dtype(task.inputs[0].dtype,
                 [&]<typename T>(T) { arg_reduce<T>(fold, task.inputs[0], task.outputs[0], reduce.axis()); });
}

}  // namespace

void register_arg_reduce(Table& table) { table.add<ArgReduce>(run); }

}  // namespace plimsoll::cpu
