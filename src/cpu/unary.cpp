#include "graph/ops/unary.h"

#include <array>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <string>

#include "cpu/math_scalar.h"
#include "cpu/register.h"
#include "cpu/row_blocks.h"
#include "cpu/strided_loop.h"
#include "cpu/unary_float.h"

namespace plimsoll::cpu {
namespace {

using K = UnaryKind;

// out[i] = f(in[i]) over all elements of two tensors of one shape.
template <typename In, typename Out, typename F>
void map_elements(const Tensor& in, const Tensor& out, F f) {
  const CollapsedAxes axes = collapse_axes(in.shape, std::array{in.strides, out.strides});
  const int64_t in_step = axes.strides[0].back();
  const int64_t out_step = axes.strides[1].back();
  for_each_row<2>(axes, [&](const std::array<int64_t, 2>& at, int64_t length) {
    const In* from = in.as<In>() + at[0];
    Out* to = out.as<Out>() + at[1];
    for (int64_t i = 0; i < length; ++i) to[i * out_step] = f(from[i * in_step]);
  });
}

[[noreturn]] void unsupported(K kind, Dtype dtype) {
  throw std::invalid_argument("[unary] kind " + std::to_string(static_cast<int>(kind)) + " is not defined for " +
                              std::string(name_of(dtype)));
}

template <typename T>
void run_integer(K kind, const Tensor& in, const Tensor& out) {
  using U = std::make_unsigned_t<T>;  // wraps where the signed type would overflow
  switch (kind) {
    case K::kAbs:
      return map_elements<T, T>(in, out, [](T x) { return x < 0 ? static_cast<T>(U(0) - static_cast<U>(x)) : x; });
    case K::kNegative:
      return map_elements<T, T>(in, out, [](T x) { return static_cast<T>(U(0) - static_cast<U>(x)); });
    case K::kSign:
      return map_elements<T, T>(in, out, [](T x) { return static_cast<T>((x > 0) - (x < 0)); });
    case K::kSquare:
      // Through uint64, so that 16-bit factors are not promoted to a signed int that overflows.
      return map_elements<T, T>(
          in, out, [](T x) { return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x)); });
    case K::kBitwiseInvert:
      return map_elements<T, T>(in, out, [](T x) { return static_cast<T>(~x); });
    case K::kFloor:
    case K::kCeil:
    case K::kRound:
      return map_elements<T, T>(in, out, [](T x) { return x; });
    default:
      unsupported(kind, in.dtype);
  }
}

void run_bool(K kind, const Tensor& in, const Tensor& out) {
  const bool inverts = kind == K::kLogicalNot || kind == K::kBitwiseInvert;
  map_elements<bool, bool>(in, out, [inverts](bool x) { return x != inverts; });
}

template <typename T>
void run_float(K kind, const Tensor& in, const Tensor& out) {
  const CollapsedAxes axes = collapse_axes(in.shape, std::array{in.strides, out.strides});
  for_each_row<2>(axes, [&](const std::array<int64_t, 2>& at, int64_t length) {
    FloatSource<T> source(in.as<T>() + at[0], axes.strides[0].back());
    FloatSink<T> sink(out.as<T>() + at[1], axes.strides[1].back());
    for_blocks(length, [&](int64_t i, int64_t n) {
      unary_float(kind, source.read(i, n), sink.begin(i), n);
      sink.end(i, n);
    });
  });
}

// Scalar code for float64 and complex64; T's own functions are found by std:: overloads.
template <typename T>
T apply_common(K kind, T x) {
  switch (kind) {
    case K::kNegative:
      return -x;
    case K::kSquare:
      return x * x;
    case K::kSqrt:
      return std::sqrt(x);
    case K::kRsqrt:
      return T(1) / std::sqrt(x);
    case K::kExp:
      return std::exp(x);
    case K::kLog:
      return std::log(x);
    case K::kLog10:
      return std::log10(x);
    case K::kSin:
      return std::sin(x);
    case K::kCos:
      return std::cos(x);
    case K::kTan:
      return std::tan(x);
    case K::kArcSin:
      return std::asin(x);
    case K::kArcCos:
      return std::acos(x);
    case K::kArcTan:
      return std::atan(x);
    case K::kSinh:
      return std::sinh(x);
    case K::kCosh:
      return std::cosh(x);
    case K::kTanh:
      return std::tanh(x);
    case K::kArcSinh:
      return std::asinh(x);
    case K::kArcCosh:
      return std::acosh(x);
    case K::kArcTanh:
      return std::atanh(x);
    case K::kSigmoid:
      return T(1) / (T(1) + std::exp(-x));
    default:
      return x;
  }
}

double apply_double(K kind, double x) {
  switch (kind) {
    case K::kAbs:
      return std::abs(x);
    case K::kSign:
      return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
    case K::kFloor:
      return std::floor(x);
    case K::kCeil:
      return std::ceil(x);
    case K::kRound:
      return std::nearbyint(x);
    case K::kExpm1:
      return std::expm1(x);
    case K::kLog1p:
      return std::log1p(x);
    case K::kLog2:
      return std::log2(x);
    case K::kErf:
      return std::erf(x);
    case K::kErfInv:
      return math::erfinv(x);
    default:
      return apply_common(kind, x);
  }
}

complex64_t apply_complex(K kind, complex64_t x) {
  constexpr float kLn2 = 0.693147180559945f;
  switch (kind) {
    case K::kSign:
      return x == complex64_t{} ? x : x / std::abs(x);
    case K::kRound:
      return {std::nearbyint(x.real()), std::nearbyint(x.imag())};
    case K::kExpm1:
      return std::exp(x) - 1.0f;
    case K::kLog1p:
      return std::log(1.0f + x);
    case K::kLog2:
      return std::log(x) / kLn2;
    case K::kConjugate:
      return std::conj(x);
    default:
      return apply_common(kind, x);
  }
}

void run_complex(K kind, const Tensor& in, const Tensor& out) {
  switch (kind) {
    case K::kAbs:
      return map_elements<complex64_t, float>(in, out, [](complex64_t x) { return std::abs(x); });
    case K::kReal:
      return map_elements<complex64_t, float>(in, out, [](complex64_t x) { return x.real(); });
    case K::kImag:
      return map_elements<complex64_t, float>(in, out, [](complex64_t x) { return x.imag(); });
    default:
      return map_elements<complex64_t, complex64_t>(in, out, [kind](complex64_t x) { return apply_complex(kind, x); });
  }
}

void run(const Primitive& primitive, const Task& task) {
  const K kind = static_cast<const Unary&>(primitive).kind();
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  dispatch_dtype(in.dtype, [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      run_bool(kind, in, out);
    } else if constexpr (std::is_integral_v<T>) {
      run_integer<T>(kind, in, out);
    } else if constexpr (std::is_same_v<T, double>) {
      map_elements<double, double>(in, out, [kind](double x) { return apply_double(kind, x); });
    } else if constexpr (std::is_same_v<T, complex64_t>) {
      run_complex(kind, in, out);
    } else {
      run_float<T>(kind, in, out);
    }
  });
}

}  // namespace

void register_unary(Table& table) { table.add<Unary>(run); }

}  // namespace plimsoll::cpu
