#include "cpu/gemm.h"

#include <algorithm>
#include <complex>
#include <optional>
#include <type_traits>

#include "base/parallel.h"
#include "cpu/panel.h"
#include "cpu/strided_panels.h"
#include "cpu/weight_rows.h"

namespace plimsoll::cpu {
namespace {

enum class Kind { kFloat, kDouble, kLoop };

Kind kind_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::Val::float32:
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16:
      return Kind::kFloat;
    case Dtype::Val::float64:
      return Kind::kDouble;
    default:
      return Kind::kLoop;
  }
}

// Columns of b become the row side when they are contiguous (a linear layer's weights), and when a has few rows worth
// broadcasting but b cannot be read as tiles; else the rows of a.
bool columns_are_rows(const Gemm& g) { return g.b.row_stride == 1 && (g.b.column_stride != 1 || g.M > g.N); }

struct Sides {
  int64_t rows, lanes;
};
Sides sides_of(const Gemm& g) { return columns_are_rows(g) ? Sides{g.N, g.M} : Sides{g.M, g.N}; }

template <typename T>
void multiply_floats(const Gemm& g, void* scratch) {
  const auto rows_of_a = StridedSource<T>::rows(g.a, g.K);
  const auto columns_of_b = StridedSource<T>::columns(g.b, g.K);
  const RowSink<T> sink(g);
  const bool turned = columns_are_rows(g);
  const Sides sides = sides_of(g);
  multiply_blocked<T>({turned ? &columns_of_b : &rows_of_a, sides.rows, turned ? &rows_of_a : &columns_of_b,
                       sides.lanes, g.K, turned, &sink},
                      scratch);
}

// A product of one side's contiguous rows with vectors of the other: y[vector, row].
struct RowProduct {
  DenseRows rows;
  WeightProduct vectors;
};

std::optional<RowProduct> as_row_product(const Gemm& g) {
  if (kind_of(g.out_dtype) != Kind::kFloat || g.alpha != 1.0f || g.beta != 0.0f) return {};
  const RowProduct columns_of_b{{g.b.data, g.b.dtype, g.N, g.K, g.b.column_stride},
                                {g.M, g.a, g.out, g.out_dtype, g.out_stride, 1}};
  if (g.M <= kDotRows && g.b.row_stride == 1) return columns_of_b;
  if (g.N <= kDotRows && g.a.column_stride == 1) {
    const MatrixView b{g.b.data, g.b.dtype, g.b.column_stride, g.b.row_stride};
    return RowProduct{{g.a.data, g.a.dtype, g.M, g.K, g.a.row_stride}, {g.N, b, g.out, g.out_dtype, 1, g.out_stride}};
  }
  const bool one_type = g.a.dtype == g.out_dtype && g.b.dtype == g.out_dtype;
  if (one_type && g.b.row_stride == 1) return columns_of_b;
  return {};
}

template <typename T>
T multiply_add(T sum, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum || (a && b);
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;  // wraps around
    return static_cast<T>(static_cast<uint64_t>(static_cast<U>(sum)) +
                          static_cast<uint64_t>(static_cast<U>(a)) * static_cast<uint64_t>(static_cast<U>(b)));
  } else {
    return sum + a * b;
  }
}

template <typename T>
T scaled(T sum, float alpha, T added, float beta) {
  if (alpha == 1.0f && beta == 0.0f) return sum;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(alpha * static_cast<double>(sum) + beta * static_cast<double>(added));
  } else {
    return alpha * sum + beta * added;
  }
}

// Integers and complex numbers: one output at a time.
template <typename T>
void multiply_loop(const Gemm& g) {
  const T *a = static_cast<const T*>(g.a.data), *b = static_cast<const T*>(g.b.data);
  const T* addend = g.beta == 0.0f ? nullptr : static_cast<const T*>(g.addend.data);
  T* out = static_cast<T*>(g.out);
  base::parallel_for(g.M * g.N, 16384 / std::max<int64_t>(1, g.K) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t m = i / g.N, n = i % g.N;
      T sum(0);
      for (int64_t k = 0; k < g.K; ++k) {
        sum = multiply_add(sum, a[m * g.a.row_stride + k * g.a.column_stride],
                           b[k * g.b.row_stride + n * g.b.column_stride]);
      }
      const T added = addend ? addend[m * g.addend.row_stride + n * g.addend.column_stride] : T(0);
      out[m * g.out_stride + n] = scaled(sum, g.alpha, added, addend ? g.beta : 0.0f);
    }
  });
}

}  // namespace

size_t gemm_scratch_bytes(const Gemm& g) {
  if (const auto product = as_row_product(g))
    return weight_product_scratch_bytes(product->vectors.M, product->rows.N, g.K, product->vectors.x.dtype);
  const Sides sides = sides_of(g);
  switch (kind_of(g.out_dtype)) {
    case Kind::kFloat:
      return blocked_scratch_bytes<float>(sides.rows, sides.lanes, g.K);
    case Kind::kDouble:
      return blocked_scratch_bytes<double>(sides.rows, sides.lanes, g.K);
    case Kind::kLoop:
      return 0;
  }
  __builtin_unreachable();
}

bool gemm_takes_team(const Gemm& g) {
  const auto product = as_row_product(g);
  return product && takes_bfloat16_panels(product->vectors.M, product->vectors.x.dtype);
}

void gemm(const Gemm& g, void* scratch) {
  if (g.M == 0 || g.N == 0) return;
  if (const auto product = as_row_product(g))
    return multiply_weights(DenseWeightRows(product->rows), product->vectors, scratch);
  switch (kind_of(g.out_dtype)) {
    case Kind::kFloat:
      return multiply_floats<float>(g, scratch);
    case Kind::kDouble:
      return multiply_floats<double>(g, scratch);
    case Kind::kLoop:
      break;
  }
  dispatch_dtype(g.out_dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, complex64_t>) multiply_loop<T>(g);
  });
}

}  // namespace plimsoll::cpu
