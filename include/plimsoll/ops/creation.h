// Operations that make arrays from numbers.
#pragma once

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll {

// Evenly spaced values in [start, stop). Throws std::invalid_argument for a step of 0, a NaN bound, or a length beyond
// 2^31 - 1. Without dtype: float32 for doubles, int32 for ints.
array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s = {});
array arange(double start, double stop, double step, StreamOrDevice s = {});
array arange(double start, double stop, Dtype dtype, StreamOrDevice s = {});
array arange(double start, double stop, StreamOrDevice s = {});
array arange(double stop, Dtype dtype, StreamOrDevice s = {});
array arange(double stop, StreamOrDevice s = {});
array arange(int start, int stop, int step, StreamOrDevice s = {});
array arange(int start, int stop, StreamOrDevice s = {});
array arange(int stop, StreamOrDevice s = {});

// `num` values from start to stop, both included. Throws for a negative num.
array linspace(double start, double stop, int num = 50, Dtype dtype = float32, StreamOrDevice s = {});

// `vals` broadcast to the shape.
array full(Shape shape, array vals, Dtype dtype, StreamOrDevice s = {});
array full(Shape shape, array vals, StreamOrDevice s = {});
template <typename T>
  requires std::is_arithmetic_v<T>
array full(Shape shape, T val, Dtype dtype, StreamOrDevice s = {}) {
  return full(std::move(shape), array(val, dtype), to_stream(s));
}
template <typename T>
  requires std::is_arithmetic_v<T>
array full(Shape shape, T val, StreamOrDevice s = {}) {
  return full(std::move(shape), array(val), to_stream(s));
}

array zeros(const Shape& shape, Dtype dtype, StreamOrDevice s = {});
inline array zeros(const Shape& shape, StreamOrDevice s = {}) { return zeros(shape, float32, s); }
array zeros_like(const array& a, StreamOrDevice s = {});
array ones(const Shape& shape, Dtype dtype, StreamOrDevice s = {});
inline array ones(const Shape& shape, StreamOrDevice s = {}) { return ones(shape, float32, s); }
array ones_like(const array& a, StreamOrDevice s = {});

// n x m with ones on diagonal k.
array eye(int n, int m, int k, Dtype dtype, StreamOrDevice s = {});
inline array eye(int n, StreamOrDevice s = {}) { return eye(n, n, 0, float32, s); }
array identity(int n, Dtype dtype, StreamOrDevice s = {});
inline array identity(int n, StreamOrDevice s = {}) { return identity(n, float32, s); }

// n x m with ones at and below diagonal k; tril and triu keep that part of the last two axes and zero the rest.
array tri(int n, int m, int k, Dtype dtype, StreamOrDevice s = {});
array tril(const array& x, int k = 0, StreamOrDevice s = {});
array triu(const array& x, int k = 0, StreamOrDevice s = {});

}  // namespace plimsoll
