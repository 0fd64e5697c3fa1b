// Strided matrices as operands and results of the blocked product.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/float_rows.h"
#include "cpu/gemm.h"
#include "cpu/panel.h"

namespace plimsoll::cpu {

// Element `index` of float-typed memory as T.
template <typename T>
T load_as(const void* data, Dtype dtype, int64_t index) {
  switch (dtype) {
    case Dtype::Val::float64:
      return static_cast<T>(static_cast<const double*>(data)[index]);
    case Dtype::Val::float16:
      return static_cast<T>(static_cast<float>(static_cast<const float16_t*>(data)[index]));
    case Dtype::Val::bfloat16:
      return static_cast<T>(static_cast<float>(static_cast<const bfloat16_t*>(data)[index]));
    default:
      return static_cast<T>(static_cast<const float*>(data)[index]);
  }
}

inline const void* element_at(const void* data, Dtype dtype, int64_t index) {
  return static_cast<const std::byte*>(data) + index * dtype.size();
}

// Vectors of length K: element k of vector i lies at i * vector_stride + k * k_stride.
template <typename T>
class StridedSource final : public PanelSource<T> {
 public:
  StridedSource(const void* data, Dtype dtype, int64_t K, int64_t vector_stride, int64_t k_stride)
      : data_(data), dtype_(dtype), K_(K), vector_stride_(vector_stride), k_stride_(k_stride) {}

  static StridedSource rows(const MatrixView& m, int64_t K) {
    return {m.data, m.dtype, K, m.row_stride, m.column_stride};
  }
  static StridedSource columns(const MatrixView& m, int64_t K) {
    return {m.data, m.dtype, K, m.column_stride, m.row_stride};
  }

  void fill_rows(int64_t first, int64_t count, T* out, int64_t stride) const override {
    if (k_stride_ != 1 && vector_stride_ == 1) return turn_rows(first, count, out, stride);
    for (int64_t i = 0; i < count; ++i) copy((first + i) * vector_stride_, k_stride_, K_, out + i * stride);
  }

  const T* direct_rows(int64_t first, int64_t* stride) const override {
    if (!holds_elements() || k_stride_ != 1) return nullptr;
    *stride = vector_stride_;
    return static_cast<const T*>(data_) + first * vector_stride_;
  }

  bool lanes_adjacent() const override { return k_stride_ != 1; }

  void fill_lanes(int64_t first, int64_t count, int64_t width, T* out) const override {
    for (int64_t k = 0; k < K_; ++k, out += width) {
      copy(first * vector_stride_ + k * k_stride_, vector_stride_, count, out);
      std::fill(out + count, out + width, T(0));
    }
  }

  const T* direct_lanes(int64_t first, int64_t* k_stride) const override {
    if (!holds_elements() || vector_stride_ != 1) return nullptr;
    *k_stride = k_stride_;
    return static_cast<const T*>(data_) + first;
  }

 private:
  bool holds_elements() const { return dtype_.val() == Dtype(TypeToDtype<T>()).val(); }

  // Reads memory in its own order when the vectors are neighbours.
  void turn_rows(int64_t first, int64_t count, T* out, int64_t stride) const {
    constexpr int64_t kPiece = 64;
    T piece[kPiece];
    for (int64_t i = 0; i < count; i += kPiece) {
      const int64_t n = std::min(kPiece, count - i);
      for (int64_t k = 0; k < K_; ++k) {
        copy(first + i + k * k_stride_, 1, n, piece);
        for (int64_t j = 0; j < n; ++j) out[(i + j) * stride + k] = piece[j];
      }
    }
  }

  void copy(int64_t start, int64_t step, int64_t count, T* out) const {
    if constexpr (std::is_same_v<T, float>) {
      if (step == 1) return widen_row(element_at(data_, dtype_, start), dtype_, count, out);
    }
    for (int64_t i = 0; i < count; ++i) out[i] = load_as<T>(data_, dtype_, start + i * step);
  }

  const void* data_;
  Dtype dtype_;
  int64_t K_;
  int64_t vector_stride_;
  int64_t k_stride_;
};

// Rows of a row-major result: alpha * value + beta * addend, rounded to its dtype.
template <typename T>
class RowSink final : public PanelSink<T> {
 public:
  RowSink(void* out, Dtype dtype, int64_t stride) : out_(out), dtype_(dtype), stride_(stride) {}
  explicit RowSink(const Gemm& g)
      : out_(g.out),
        dtype_(g.out_dtype),
        stride_(g.out_stride),
        alpha_(static_cast<T>(g.alpha)),
        beta_(static_cast<T>(g.beta)),
        addend_(g.addend) {}

  void write(int64_t row, int64_t column, const T* values, int64_t count) const override {
    if (alpha_ == T(1) && beta_ == T(0)) return store(row, column, values, count);
    constexpr int64_t kPiece = 64;
    T piece[kPiece];
    for (int64_t i = 0; i < count; i += kPiece) {
      const int64_t n = std::min(kPiece, count - i);
      for (int64_t j = 0; j < n; ++j) piece[j] = alpha_ * values[i + j] + added(row, column + i + j);
      store(row, column + i, piece, n);
    }
  }

 private:
  T added(int64_t row, int64_t column) const {
    if (beta_ == T(0)) return T(0);
    return beta_ * load_as<T>(addend_.data, addend_.dtype, row * addend_.row_stride + column * addend_.column_stride);
  }

  void store(int64_t row, int64_t column, const T* values, int64_t count) const {
    void* at = static_cast<std::byte*>(out_) + (row * stride_ + column) * dtype_.size();
    if constexpr (std::is_same_v<T, float>) {
      narrow_row(values, count, dtype_, at);
    } else {
      std::memcpy(at, values, static_cast<size_t>(count) * sizeof(T));
    }
  }

  void* out_;
  Dtype dtype_;
  int64_t stride_;
  T alpha_ = T(1);
  T beta_ = T(0);
  MatrixView addend_;
};

}  // namespace plimsoll::cpu
