#include "graph/ops/convert.h"

#include <array>

#include "cpu/float_rows.h"
#include "cpu/register.h"
#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

template <typename T>
constexpr bool is_row_float_v = std::is_same_v<T, float> || is_half_v<T>;

// Between float32 and the 16-bit types, contiguous rows go through SIMD.
template <typename From, typename To>
bool convert_float_row(const From* from, int64_t from_step, To* to, int64_t to_step, int64_t count) {
  if constexpr (is_row_float_v<From> && is_row_float_v<To>) {
    if (from_step != 1 || to_step != 1) return false;
    if constexpr (std::is_same_v<To, float>) {
      widen_row(from, TypeToDtype<From>(), count, to);
      return true;
    } else if constexpr (std::is_same_v<From, float>) {
      narrow_row(from, count, TypeToDtype<To>(), to);
      return true;
    }
  }
  return false;
}

template <typename From, typename To>
void convert(const Tensor& in, const Tensor& out) {
  const CollapsedAxes axes = collapse_axes(in.shape, std::array{in.strides, out.strides});
  const int64_t in_step = axes.strides[0].back();
  const int64_t out_step = axes.strides[1].back();
  for_each_row<2>(axes, [&](const std::array<int64_t, 2>& at, int64_t length) {
    const From* from = in.as<From>() + at[0];
    To* to = out.as<To>() + at[1];
    if (convert_float_row(from, in_step, to, out_step, length)) return;
    for (int64_t i = 0; i < length; ++i) to[i * out_step] = detail::convert_element<To>(from[i * in_step]);
  });
}

void astype(const Primitive&, const Task& task) {
  dispatch_dtype(task.inputs[0].dtype, [&]<typename From>(From) {
    dispatch_dtype(task.outputs[0].dtype, [&]<typename To>(To) { convert<From, To>(task.inputs[0], task.outputs[0]); });
  });
}

template <typename T>
void select_typed(const Task& task) {
  const Tensor& condition = task.inputs[0];
  const Tensor& x = task.inputs[1];
  const Tensor& y = task.inputs[2];
  const Tensor& out = task.outputs[0];
  const CollapsedAxes axes = collapse_axes(out.shape, std::array{condition.strides, x.strides, y.strides, out.strides});
  std::array<int64_t, 4> step;
  for (size_t k = 0; k < 4; ++k) step[k] = axes.strides[k].back();
  for_each_row<4>(axes, [&](const std::array<int64_t, 4>& at, int64_t length) {
    const bool* chosen = condition.as<bool>() + at[0];
    const T* from_x = x.as<T>() + at[1];
    const T* from_y = y.as<T>() + at[2];
    T* to = out.as<T>() + at[3];
    for (int64_t i = 0; i < length; ++i) {
      to[i * step[3]] = chosen[i * step[0]] ? from_x[i * step[1]] : from_y[i * step[2]];
    }
  });
}

void select(const Primitive&, const Task& task) {
  switch (size_of(task.outputs[0].dtype)) {
    case 1:
      return select_typed<uint8_t>(task);
    case 2:
      return select_typed<uint16_t>(task);
    case 4:
      return select_typed<uint32_t>(task);
    default:
      return select_typed<uint64_t>(task);
  }
}

void arange(const Primitive& primitive, const Task& task) {
  const auto& range = static_cast<const Arange&>(primitive);
  const Tensor& out = task.outputs[0];
  dispatch_dtype(out.dtype, [&]<typename T>(T) {
    T* to = out.as<T>();
    for (int64_t i = 0, n = static_cast<int64_t>(out.size); i < n; ++i) {
      if constexpr (std::is_integral_v<T>) {
        to[i] = static_cast<T>(static_cast<int64_t>(range.start()) + i * static_cast<int64_t>(range.step()));
      } else {
        to[i] = detail::convert_element<T>(range.start() + static_cast<double>(i) * range.step());
      }
    }
  });
}

}  // namespace

void register_convert(Table& table) {
  table.add<AsType>(astype);
  table.add<Select>(select);
  table.add<Arange>(arange);
}

}  // namespace plimsoll::cpu
