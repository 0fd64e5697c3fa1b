// Reductions over any axes of any layout. The axes are sorted by stride, and one of three walks is taken:
//   rows       the elements of an output lie side by side;
//   columns    neighbouring outputs read neighbouring elements;
//   gathered   neither, or too short: elements are first collected in blocks.
// The elements of an output are cut into chunks whose size depends on the shape alone, so that the result does not
// depend on the number of threads.
#include "graph/ops/reduce.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "cpu/reduce_kernels.h"
#include "cpu/register.h"
#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kChunk = 1 << 16;     // elements of one output in a task
constexpr int64_t kShortRow = 32;       // elements below which columns, or several rows to an output, are gathered
constexpr int64_t kOutputBatch = 256;   // outputs of a single row each that are folded in one call
constexpr int64_t kGatherBlock = 1024;  // elements

Fold fold_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum:
      return Fold::kSum;
    case ReduceKind::kProd:
      return Fold::kProd;
    case ReduceKind::kMax:
    case ReduceKind::kAny:
      return Fold::kMax;
    case ReduceKind::kMin:
    case ReduceKind::kAll:
      return Fold::kMin;
  }
  __builtin_unreachable();
}

// How a reduction is walked; a function of shapes and strides.
struct Walk {
  enum class Kind : uint8_t { kRows, kColumns, kGathered };

  Kind kind;
  CollapsedAxes outer;  // axes that stay; operands: input, output
  CollapsedAxes inner;  // reduced axes; operand: input
  int64_t base = 0;     // elements from the input's first to where all reduced strides are positive
  int64_t outputs;
  int64_t rows;    // of the inner axes
  int64_t chunks;  // a reduction is cut into
};

// Axes of one side, largest stride first and broadcast ones before all others, so that the last runs fastest.
CollapsedAxes sorted_axes(const std::vector<int>& axes, const Shape& shape, const std::vector<Strides>& strides) {
  std::vector<int> order = axes;
  const auto magnitude = [&](int axis) {
    const int64_t stride = strides[0][axis];
    return stride == 0 ? std::numeric_limits<int64_t>::max() : std::abs(stride);
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return magnitude(a) > magnitude(b); });
  Shape sorted_shape;
  std::vector<Strides> sorted(strides.size());
  for (const int axis : order) {
    sorted_shape.push_back(shape[axis]);
    for (size_t k = 0; k < strides.size(); ++k) sorted[k].push_back(strides[k][axis]);
  }
  return collapse_axes(sorted_shape, sorted);
}

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t rows_per_chunk(const Walk& walk) {
  if (walk.kind == Walk::Kind::kColumns) return kChunk * 4 / std::min(walk.outer.shape.back(), kReduceColumns);
  return std::max<int64_t>(kChunk / std::max<int64_t>(walk.inner.shape.back(), 1), 1);
}

int64_t pieces_per_row(const Walk& walk) {
  return walk.kind == Walk::Kind::kColumns ? 1 : divide_up(walk.inner.shape.back(), kChunk);
}

Walk plan_walk(const std::vector<int>& reduced, const Tensor& in, const Tensor& out) {
  Walk walk;
  std::vector<int> kept;
  Strides strides = in.strides;
  for (int axis = 0; axis < in.ndim(); ++axis) {
    if (std::find(reduced.begin(), reduced.end(), axis) == reduced.end()) {
      kept.push_back(axis);
    } else if (strides[axis] < 0) {
      walk.base += strides[axis] * (in.shape[axis] - 1);
      strides[axis] = -strides[axis];
    }
  }
  walk.outer = sorted_axes(kept, in.shape, {strides, out.strides});
  walk.inner = sorted_axes(reduced, in.shape, {strides});
  const int64_t length = walk.inner.shape.back();
  const bool by_columns = walk.outer.strides[0].back() == 1 && walk.outer.shape.back() >= kShortRow;
  const bool is_contiguous = walk.inner.strides[0].back() == 1;
  const bool by_rows = is_contiguous && (length >= kShortRow || walk.inner.shape.size() == 1);
  walk.kind = by_rows ? Walk::Kind::kRows : by_columns ? Walk::Kind::kColumns : Walk::Kind::kGathered;
  walk.outputs = static_cast<int64_t>(out.size);
  walk.rows = RowCursor<1>::count(walk.inner);
  if (walk.kind == Walk::Kind::kColumns) walk.rows *= length;  // each inner element is a row of columns
  walk.chunks = divide_up(walk.rows, rows_per_chunk(walk)) * pieces_per_row(walk);
  return walk;
}

// A reduction at work, with T the type of its totals.
template <typename T>
class Reduction {
 public:
  Reduction(Fold fold, const Walk& walk, const Tensor& in, const Tensor& out, T* partials)
      : fold_(fold), walk_(walk), in_(in), out_(out), partials_(partials), itemsize_(size_of(in.dtype)) {}

  void run() {
    if (walk_.kind == Walk::Kind::kRows && walk_.rows == 1 && walk_.chunks == 1) return run_single_rows();
    const int64_t width = walk_.kind == Walk::Kind::kColumns ? walk_.outer.shape.back() : 1;
    const int64_t tiles = divide_up(width, kReduceColumns);
    const int64_t tasks = walk_.outputs / width * tiles * walk_.chunks;
    const int64_t elements = static_cast<int64_t>(in_.size) / tasks + 1;
    base::parallel_for(tasks, kParallelGrain / elements + 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t chunk = task % walk_.chunks;
        const int64_t tile = task / walk_.chunks;
        if (walk_.kind == Walk::Kind::kColumns) {
          const int64_t first = tile % tiles * kReduceColumns;
          run_columns(tile / tiles, first, std::min(kReduceColumns, width - first), chunk);
        } else {
          run_output(tile, chunk);
        }
      }
    });
    if (walk_.chunks > 1) join_chunks();
  }

 private:
  // Where an output and its first input element are, in elements; outputs are counted along the outer axes.
  std::array<int64_t, 2> locate(int64_t output) const {
    std::array<int64_t, 2> at{walk_.base, 0};
    for (size_t i = walk_.outer.shape.size(); i-- > 0;) {
      const int64_t position = output % walk_.outer.shape[i];
      output /= walk_.outer.shape[i];
      for (size_t k = 0; k < 2; ++k) at[k] += position * walk_.outer.strides[k][i];
    }
    return at;
  }

  const std::byte* input(int64_t offset) const { return in_.data + offset * itemsize_; }

  // `count` neighbouring outputs, the first at `offset`.
  void store(int64_t offset, int64_t step, const T* totals, int64_t count) const {
    dispatch_dtype(out_.dtype, [&]<typename Out>(Out) {
      Out* out = out_.as<Out>() + offset;
      for (int64_t i = 0; i < count; ++i, out += step) {
        if constexpr (std::is_same_v<T, std::complex<double>>) {
          *out = detail::convert_element<Out>(static_cast<complex64_t>(totals[i]));
        } else {
          *out = detail::convert_element<Out>(totals[i]);
        }
      }
    });
  }

  // Stores neighbouring outputs, or puts them aside until all chunks are there; `offset` is where the first one goes.
  void finish(int64_t output, int64_t offset, int64_t chunk, const T* totals, int64_t count) {
    if (walk_.chunks == 1) return store(offset, walk_.outer.strides[1].back(), totals, count);
    for (int64_t i = 0; i < count; ++i) partials_[(output + i) * walk_.chunks + chunk] = totals[i];
  }

  // Outputs of one contiguous row each, along the last outer axis.
  void run_single_rows() const {
    const int64_t length = walk_.inner.shape.back();
    const int64_t width = walk_.outer.shape.back();
    base::parallel_for(walk_.outputs, kParallelGrain / length + 1, [&](int64_t begin, int64_t end) {
      T totals[kOutputBatch];
      for (int64_t output = begin; output < end;) {
        const int64_t count = std::min({kOutputBatch, end - output, width - output % width});
        const auto [source, destination] = locate(output);
        std::fill_n(totals, count, fold_identity<T>(fold_));
        fold_rows(fold_, in_.dtype, {input(source), count, walk_.outer.strides[0].back(), length, totals});
        store(destination, walk_.outer.strides[1].back(), totals, count);
        output += count;
      }
    });
  }

  void run_output(int64_t output, int64_t chunk) {
    T total = fold_identity<T>(fold_);
    const int64_t pieces = pieces_per_row(walk_);
    const int64_t rows = rows_per_chunk(walk_);
    const int64_t first = pieces > 1 ? chunk / pieces : chunk * rows;
    const int64_t last = std::min(walk_.rows, first + rows);
    const int64_t begin = chunk % pieces * kChunk;
    const auto [source, destination] = locate(output);
    const int64_t length = std::min(kChunk, walk_.inner.shape.back() - begin);
    if (walk_.kind == Walk::Kind::kRows) {
      fold_in_place(source + begin, first, last, length, &total);
    } else {
      fold_gathered(source + begin * walk_.inner.strides[0].back(), first, last, length, &total);
    }
    finish(output, destination, chunk, &total, 1);
  }

  // Rows [first, last) of the inner axes, `length` elements of each.
  void fold_in_place(int64_t offset, int64_t first, int64_t last, int64_t length, T* total) const {
    RowCursor<1> cursor(walk_.inner);
    cursor.seek(first);
    for (int64_t row = first; row < last; ++row, cursor.next()) {
      fold_rows(fold_, in_.dtype, {input(offset + cursor.offset(0)), 1, length, length, total});
    }
  }

  void fold_gathered(int64_t offset, int64_t first, int64_t last, int64_t length, T* total) const {
    alignas(64) std::byte block[kGatherBlock * sizeof(complex64_t)];
    const int64_t step = walk_.inner.strides[0].back() * itemsize_;
    int64_t filled = 0;
    RowCursor<1> cursor(walk_.inner);
    cursor.seek(first);
    for (int64_t row = first; row < last; ++row, cursor.next()) {
      const std::byte* from = input(offset + cursor.offset(0));
      for (int64_t i = 0; i < length; ++i, from += step) {
        std::memcpy(block + filled * itemsize_, from, static_cast<size_t>(itemsize_));
        if (++filled < kGatherBlock) continue;
        fold_rows(fold_, in_.dtype, {block, 1, filled, filled, total});
        filled = 0;
      }
    }
    fold_rows(fold_, in_.dtype, {block, 1, filled, filled, total});
  }

  // Columns [first, first + width) of the last outer axis.
  void run_columns(int64_t outer, int64_t first, int64_t width, int64_t chunk) {
    T totals[kReduceColumns];
    std::fill_n(totals, width, fold_identity<T>(fold_));
    const int64_t output = outer * walk_.outer.shape.back() + first;
    const int64_t begin = chunk * rows_per_chunk(walk_);
    const int64_t end = std::min(walk_.rows, begin + rows_per_chunk(walk_));
    const auto [source, destination] = locate(output);
    fold_tile(source, begin, end, width, totals);
    finish(output, destination, chunk, totals, width);
  }

  // Rows of columns, as many at once as lie along the last inner axis.
  void fold_tile(int64_t offset, int64_t begin, int64_t end, int64_t width, T* totals) const {
    const int64_t length = walk_.inner.shape.back();
    const int64_t stride = walk_.inner.strides[0].back();
    RowCursor<1> cursor(walk_.inner);
    cursor.seek(begin / length);
    for (int64_t row = begin; row < end; cursor.next()) {
      const int64_t position = row % length;
      const int64_t count = std::min(end - row, length - position);
      const std::byte* from = input(offset + cursor.offset(0) + position * stride);
      fold_columns(fold_, in_.dtype, {from, count, stride, width, totals});
      row += count;
    }
  }

  void join_chunks() {
    base::parallel_for(walk_.outputs, kParallelGrain / walk_.chunks + 1, [&](int64_t begin, int64_t end) {
      for (int64_t output = begin; output < end; ++output) {
        const T* partial = partials_ + output * walk_.chunks;
        const T total = std::accumulate(partial, partial + walk_.chunks, fold_identity<T>(fold_),
                                        [&](const T& a, const T& b) { return fold_two(fold_, a, b); });
        store(locate(output)[1], 0, &total, 1);
      }
    });
  }

  Fold fold_;
  const Walk& walk_;
  const Tensor& in_;
  const Tensor& out_;
  T* partials_;  // [outputs, chunks]
  int64_t itemsize_;
};

size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  if (inputs[0].size == 0) return 0;
  const Walk walk = plan_walk(static_cast<const Reduce&>(primitive).axes(), inputs[0], outputs[0]);
  return walk.chunks == 1 ? 0 : static_cast<size_t>(walk.outputs * walk.chunks) * kTotalBytes;
}

// Every output where nothing is combined.
void fill_identity(Fold fold, const Tensor& out) {
  const double identity = fold == Fold::kSum || fold == Fold::kMax ? 0 : 1;
  dispatch_dtype(out.dtype,
                 [&]<typename T>(T) { std::fill_n(out.as<T>(), out.size, detail::convert_element<T>(identity)); });
}

void run(const Primitive& primitive, const Task& task) {
  const auto& reduce = static_cast<const Reduce&>(primitive);
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const Fold fold = fold_of(reduce.kind());
  if (out.size == 0) return;
  if (in.size == 0) return fill_identity(fold, out);
  const Walk walk = plan_walk(reduce.axes(), in, out);
  const auto run_as = [&]<typename T>(T) {
    Reduction<T>(fold, walk, in, out, reinterpret_cast<T*>(task.scratch.data())).run();
  };
  dispatch_dtype(in.dtype, [&]<typename T>(T) { run_as(Total<T>()); });
}

}  // namespace

void register_reduce(Table& table) { table.add<Reduce>(run, scratch); }

}  // namespace plimsoll::cpu
