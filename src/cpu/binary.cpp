#include "graph/ops/binary.h"

#include <array>

#include "cpu/binary_float.h"
#include "cpu/binary_scalar.h"
#include "cpu/register.h"
#include "cpu/row_blocks.h"
#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

using K = BinaryKind;

struct Operands {
  const Tensor& a;
  const Tensor& b;
  const Tensor& out;

  CollapsedAxes axes() const { return collapse_axes(out.shape, std::array{a.strides, b.strides, out.strides}); }
};

template <typename In, typename Out, typename F>
void map_elements(const Operands& operands, F f) {
  const CollapsedAxes axes = operands.axes();
  const int64_t a_step = axes.strides[0].back();
  const int64_t b_step = axes.strides[1].back();
  const int64_t out_step = axes.strides[2].back();
  for_each_row<3>(axes, [&](const std::array<int64_t, 3>& at, int64_t length) {
    const In* a = operands.a.as<In>() + at[0];
    const In* b = operands.b.as<In>() + at[1];
    Out* out = operands.out.as<Out>() + at[2];
    for (int64_t i = 0; i < length; ++i) out[i * out_step] = f(a[i * a_step], b[i * b_step]);
  });
}

template <typename T>
void run_float(K kind, const Operands& operands) {
  const CollapsedAxes axes = operands.axes();
  for_each_row<3>(axes, [&](const std::array<int64_t, 3>& at, int64_t length) {
    FloatSource<T> a(operands.a.as<T>() + at[0], axes.strides[0].back());
    FloatSource<T> b(operands.b.as<T>() + at[1], axes.strides[1].back());
    FloatSink<T> out(operands.out.as<T>() + at[2], axes.strides[2].back());
    for_blocks(length, [&](int64_t i, int64_t n) {
      binary_float(kind, a.read(i, n), b.read(i, n), out.begin(i), n);
      out.end(i, n);
    });
  });
}

template <typename T>
void run_comparison(K kind, const Operands& operands) {
  map_elements<T, bool>(operands, [kind](const T& a, const T& b) { return compare(kind, a, b); });
}

template <typename T>
void run_arithmetic(K kind, const Operands& operands) {
  if constexpr (std::is_same_v<T, bool>) {
    map_elements<T, T>(operands, [kind](T a, T b) { return apply_bool(kind, a, b); });
  } else if constexpr (std::is_integral_v<T>) {
    map_elements<T, T>(operands, [kind](T a, T b) { return apply_integer(kind, a, b); });
  } else if constexpr (std::is_same_v<T, double>) {
    map_elements<T, T>(operands, [kind](T a, T b) { return apply_real(kind, a, b); });
  } else if constexpr (std::is_same_v<T, complex64_t>) {
    map_elements<T, T>(operands, [kind](T a, T b) { return apply_complex(kind, a, b); });
  } else {
    run_float<T>(kind, operands);
  }
}

void run(const Primitive& primitive, const Task& task) {
  const K kind = static_cast<const Binary&>(primitive).kind();
  const Operands operands{task.inputs[0], task.inputs[1], task.outputs[0]};
  dispatch_dtype(operands.a.dtype, [&]<typename T>(T) {
    if (is_comparison(kind)) {
      run_comparison<T>(kind, operands);
    } else {
      run_arithmetic<T>(kind, operands);
    }
  });
}

}  // namespace

void register_binary(Table& table) { table.add<Binary>(run); }

}  // namespace plimsoll::cpu
