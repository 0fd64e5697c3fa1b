#include "graph/ops/slice.h"

#include <algorithm>

#include "cpu/copy.h"
#include "cpu/register.h"

namespace plimsoll::cpu {
namespace {

// The source's elements, unless the output is the source's own buffer.
void begin_update(const Tensor& source, const Tensor& out) {
  if (out.data != source.data) copy_tensor(source, out);
}

void slice_update(const Primitive& primitive, const Task& task) {
  const SliceSpec& spec = static_cast<const SliceUpdate&>(primitive).spec();
  const Tensor& update = task.inputs[1];
  const Tensor& out = task.outputs[0];
  begin_update(task.inputs[0], out);
  if (update.size == 0) return;
  const auto itemsize = static_cast<int64_t>(size_of(out.dtype));
  Strides strides(out.strides.size());
  int64_t first = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    strides[i] = out.strides[i] * spec.strides[i];
    first += out.strides[i] * spec.start[i];
  }
  copy_strided(update.data, update.strides, out.data + first * itemsize, strides, update.shape, itemsize);
}

// Elements from element [0, 0, ...] of `a` to where the slice starts: starts are clamped so that it fits.
int64_t dynamic_start(const Tensor& start, const std::vector<int>& axes, const Tensor& a, const Shape& slice_shape) {
  int64_t first = 0;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int64_t step = start.strides.empty() ? 0 : start.strides[0];
    const int64_t wanted = dispatch_dtype(start.dtype, [&]<typename T>(T) -> int64_t {
      if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(start.as<T>()[static_cast<int64_t>(k) * step]);
      return 0;
    });
    const int64_t room = a.shape[axes[k]] - slice_shape[axes[k]];
    const int64_t from_front = wanted < 0 ? wanted + a.shape[axes[k]] : wanted;
    first += std::clamp<int64_t>(from_front, 0, room) * a.strides[axes[k]];
  }
  return first;
}

void dynamic_slice(const Primitive& primitive, const Task& task) {
  const Tensor& source = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const auto itemsize = static_cast<int64_t>(size_of(out.dtype));
  const int64_t first =
      dynamic_start(task.inputs[1], static_cast<const DynamicSlice&>(primitive).axes(), source, out.shape);
  copy_strided(source.data + first * itemsize, source.strides, out.data, out.strides, out.shape, itemsize);
}

void dynamic_slice_update(const Primitive& primitive, const Task& task) {
  const Tensor& update = task.inputs[1];
  const Tensor& out = task.outputs[0];
  begin_update(task.inputs[0], out);
  if (update.size == 0) return;
  const auto itemsize = static_cast<int64_t>(size_of(out.dtype));
  const int64_t first =
      dynamic_start(task.inputs[2], static_cast<const DynamicSliceUpdate&>(primitive).axes(), out, update.shape);
  copy_strided(update.data, update.strides, out.data + first * itemsize, out.strides, update.shape, itemsize);
}

}  // namespace

void register_slice(Table& table) {
  table.add<SliceUpdate>(slice_update);
  table.add<DynamicSlice>(dynamic_slice);
  table.add<DynamicSliceUpdate>(dynamic_slice_update);
}

}  // namespace plimsoll::cpu
