#include "graph/ops/scan.h"

#include <algorithm>
#include <array>

#include "cpu/reduce_kernels.h"
#include "cpu/register.h"
#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kChunk = 1 << 16;  // elements of a contiguous row that are scanned in one task
constexpr int64_t kTile = 256;       // rows scanned together where the axis is strided

Fold fold_of(ScanKind kind) {
  switch (kind) {
    case ScanKind::kCumSum:
      return Fold::kSum;
    case ScanKind::kCumProd:
      return Fold::kProd;
    case ScanKind::kCumMax:
      return Fold::kMax;
    case ScanKind::kCumMin:
      return Fold::kMin;
  }
  __builtin_unreachable();
}

template <typename Out, typename T>
Out narrow(const T& total) {
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    return detail::convert_element<Out>(static_cast<complex64_t>(total));
  } else {
    return detail::convert_element<Out>(total);
  }
}

template <typename T>
Total<T> widen(const T& value) {
  if constexpr (is_half_v<T>) {
    return static_cast<float>(value);
  } else {
    return static_cast<Total<T>>(value);
  }
}

// What a scan of T starts from: of integers the least or largest of their own type, which an exclusive scan stores.
template <Fold kFold, typename T>
Total<T> scan_identity() {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<Total<T>>(fold_identity<T>(kFold));
  } else {
    return fold_identity<Total<T>>(kFold);
  }
}

// Where the rows of a scan begin, with the axis walked in scan order.
struct ScanRows {
  CollapsedAxes outer;  // all other axes; operands: input, output
  int64_t length;
  std::array<int64_t, 2> step;   // along the axis
  std::array<int64_t, 2> first;  // to the first element in scan order
  int64_t chunks;                // a row is cut into

  bool is_contiguous() const { return length > 1 && std::abs(step[0]) == 1 && step[1] == step[0]; }
};

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

ScanRows plan_rows(const Scan& scan, const Tensor& in, const Tensor& out) {
  ScanRows rows;
  Shape shape;
  std::array<Strides, 2> strides;
  for (int i = 0; i < in.ndim(); ++i) {
    if (i == scan.axis()) continue;
    shape.push_back(in.shape[i]);
    strides[0].push_back(in.strides[i]);
    strides[1].push_back(out.strides[i]);
  }
  rows.outer = collapse_axes(shape, strides);
  rows.length = in.shape[scan.axis()];
  rows.step = {in.strides[scan.axis()], out.strides[scan.axis()]};
  rows.first = {0, 0};
  if (scan.reverse()) {
    for (size_t k = 0; k < 2; ++k) {
      rows.first[k] = rows.step[k] * (rows.length - 1);
      rows.step[k] = -rows.step[k];
    }
  }
  rows.chunks = rows.is_contiguous() ? divide_up(rows.length, kChunk) : 1;
  return rows;
}

// `In` to `Out`, both as stored; totals are Total<In>.
template <Fold kFold, typename In, typename Out>
class Scanner {
 public:
  using T = Total<In>;

  Scanner(const ScanRows& rows, bool inclusive, const Tensor& in, const Tensor& out, T* totals)
      : rows_(rows),
        inclusive_(inclusive),
        in_(in.as<In>() + rows.first[0]),
        out_(out.as<Out>() + rows.first[1]),
        totals_(totals) {}

  void run() const { rows_.is_contiguous() ? run_rows() : run_tiles(); }

 private:
  T fold_with(const T& a, const T& b) const { return fold_two(kFold, a, b); }

  void scan_part(const In* from, Out* to, int64_t count, T total) const {
    for (int64_t i = 0; i < count; ++i) {
      const T next = fold_with(total, widen(from[i * rows_.step[0]]));
      to[i * rows_.step[1]] = narrow<Out>(inclusive_ ? next : total);
      total = next;
    }
  }

  // What the elements of a chunk combine to; four at a time, so that none waits for the one before it.
  T total_of(const In* from, int64_t count) const {
    T parts[4];
    std::fill_n(parts, 4, scan_identity<kFold, In>());
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      for (int64_t k = 0; k < 4; ++k) parts[k] = fold_with(parts[k], widen(from[(i + k) * rows_.step[0]]));
    }
    for (; i < count; ++i) parts[0] = fold_with(parts[0], widen(from[i * rows_.step[0]]));
    return fold_with(fold_with(parts[0], parts[1]), fold_with(parts[2], parts[3]));
  }

  // Calls f(task, input, output, count) for every chunk of every row.
  template <typename F>
  void for_each_chunk(F f) const {
    const int64_t grain = kParallelGrain / std::min(kChunk, rows_.length) + 1;
    base::parallel_for(RowCursor<2>::count(rows_.outer) * rows_.outer.shape.back() * rows_.chunks, grain,
                       [&](int64_t begin, int64_t end) {
                         for (int64_t task = begin; task < end; ++task) {
                           const int64_t chunk = task % rows_.chunks;
                           const auto [from, to] = locate(task / rows_.chunks);
                           const int64_t at = chunk * kChunk;
                           f(task, in_ + from + at * rows_.step[0], out_ + to + at * rows_.step[1],
                             std::min(kChunk, rows_.length - at));
                         }
                       });
  }

  std::array<int64_t, 2> locate(int64_t row) const {
    std::array<int64_t, 2> at{0, 0};
    for (size_t i = rows_.outer.shape.size(); i-- > 0;) {
      const int64_t position = row % rows_.outer.shape[i];
      row /= rows_.outer.shape[i];
      for (size_t k = 0; k < 2; ++k) at[k] += position * rows_.outer.strides[k][i];
    }
    return at;
  }

  void run_rows() const {
    if (rows_.chunks == 1) {
      return for_each_chunk([&](int64_t, const In* from, Out* to, int64_t count) {
        scan_part(from, to, count, scan_identity<kFold, In>());
      });
    }
    for_each_chunk([&](int64_t task, const In* from, Out*, int64_t count) { totals_[task] = total_of(from, count); });
    accumulate_totals();
    for_each_chunk(
        [&](int64_t task, const In* from, Out* to, int64_t count) { scan_part(from, to, count, totals_[task]); });
  }

  // Turns the chunks' totals into what comes before each chunk of its row.
  void accumulate_totals() const {
    const int64_t rows = RowCursor<2>::count(rows_.outer) * rows_.outer.shape.back();
    for (int64_t row = 0; row < rows; ++row) {
      T before = scan_identity<kFold, In>();
      for (T* total = totals_ + row * rows_.chunks; total != totals_ + (row + 1) * rows_.chunks; ++total) {
        before = fold_with(std::exchange(*total, before), before);
      }
    }
  }

  // Tiles of neighbouring rows, step by step along the axis.
  void run_tiles() const {
    const int64_t width = rows_.outer.shape.back();
    const int64_t tiles = divide_up(width, kTile);
    const int64_t grain = kParallelGrain / (rows_.length * std::min(width, kTile)) + 1;
    base::parallel_for(RowCursor<2>::count(rows_.outer) * tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = task % tiles * kTile;
        const auto [from, to] = locate(task / tiles * width + first);
        scan_tile(in_ + from, out_ + to, std::min(kTile, width - first));
      }
    });
  }

  void scan_tile(const In* from, Out* to, int64_t width) const {
    const int64_t in_step = rows_.outer.strides[0].back();
    const int64_t out_step = rows_.outer.strides[1].back();
    T totals[kTile];
    std::fill_n(totals, width, scan_identity<kFold, In>());
    for (int64_t i = 0; i < rows_.length; ++i, from += rows_.step[0], to += rows_.step[1]) {
      for (int64_t j = 0; j < width; ++j) {
        const T next = fold_with(totals[j], widen(from[j * in_step]));
        to[j * out_step] = narrow<Out>(inclusive_ ? next : totals[j]);
        totals[j] = next;
      }
    }
  }

  const ScanRows& rows_;
  bool inclusive_;
  const In* in_;
  Out* out_;
  T* totals_;  // [rows, chunks]
};

size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  if (inputs[0].size == 0) return 0;
  const ScanRows rows = plan_rows(static_cast<const Scan&>(primitive), inputs[0], outputs[0]);
  if (rows.chunks == 1) return 0;
  return inputs[0].size / static_cast<size_t>(rows.length) * static_cast<size_t>(rows.chunks) * kTotalBytes;
}

template <Fold kFold>
void run_fold(const ScanRows& rows, bool inclusive, const Task& task) {
  dispatch_dtype(task.inputs[0].dtype, [&]<typename T>(T) {
    using Out = std::conditional_t<std::is_same_v<T, bool> && kFold == Fold::kSum, int32_t, T>;
    auto* totals = reinterpret_cast<Total<T>*>(task.scratch.data());
    Scanner<kFold, T, Out>(rows, inclusive, task.inputs[0], task.outputs[0], totals).run();
  });
}

void run(const Primitive& primitive, const Task& task) {
  const auto& scan = static_cast<const Scan&>(primitive);
  if (task.outputs[0].size == 0) return;
  const ScanRows rows = plan_rows(scan, task.inputs[0], task.outputs[0]);
  switch (fold_of(scan.kind())) {
    case Fold::kSum:
      return run_fold<Fold::kSum>(rows, scan.inclusive(), task);
    case Fold::kProd:
      return run_fold<Fold::kProd>(rows, scan.inclusive(), task);
    case Fold::kMax:
      return run_fold<Fold::kMax>(rows, scan.inclusive(), task);
    case Fold::kMin:
      return run_fold<Fold::kMin>(rows, scan.inclusive(), task);
  }
}

}  // namespace

void register_scan(Table& table) { table.add<Scan>(run, scratch); }

}  // namespace plimsoll::cpu
