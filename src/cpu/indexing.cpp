#include "graph/ops/indexing.h"

#include <array>
#include <stdexcept>
#include <string>

#include "cpu/binary_scalar.h"
#include "cpu/copy.h"
#include "cpu/register.h"
#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

[[noreturn]] void out_of_range(const char* op, int64_t index, int axis, int64_t length) {
  throw std::out_of_range(std::string("[") + op + "] index " + std::to_string(index) + " is out of range for axis " +
                          std::to_string(axis) + " of length " + std::to_string(length));
}

int64_t read_index(const Tensor& indices, int64_t location) {
  return dispatch_dtype(indices.dtype, [&]<typename T>(T) -> int64_t {
    if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(indices.as<T>()[location]);
    return 0;
  });
}

// A checked index: counted from the front, such that `extent` elements from it exist.
int64_t resolve_index(const char* op, int64_t index, int axis, int64_t length, int64_t extent) {
  const int64_t at = index < 0 ? index + length : index;
  if (at < 0 || at + extent > length) out_of_range(op, index, axis, length);
  return at;
}

// Where the slices of a gather or scatter start in `a`: elements from element [0, 0, ...].
class SliceStarts {
 public:
  SliceStarts(const char* op, const Tensor& a, std::span<const Tensor> indices, const std::vector<int>& axes,
              const Shape& slice_shape)
      : op_(op), a_(a), indices_(indices), axes_(axes), slice_shape_(slice_shape) {}

  int64_t count() const { return indices_.empty() ? 1 : static_cast<int64_t>(indices_[0].size); }

  int64_t operator[](int64_t i) const {
    int64_t start = 0;
    for (size_t k = 0; k < indices_.size(); ++k) {
      const int64_t index = read_index(indices_[k], strided_location(i, indices_[k].shape, indices_[k].strides));
      const int axis = axes_[k];
      start += a_.strides[axis] * resolve_index(op_, index, axis, a_.shape[axis], slice_shape_[axis]);
    }
    return start;
  }

 private:
  const char* op_;
  const Tensor& a_;
  std::span<const Tensor> indices_;
  const std::vector<int>& axes_;
  const Shape& slice_shape_;
};

void gather(const Primitive& primitive, const Task& task) {
  const auto& self = static_cast<const Gather&>(primitive);
  const Tensor& a = task.inputs[0];
  const Tensor& out = task.outputs[0];
  const Shape& slice_shape = self.slice_sizes();
  const auto itemsize = static_cast<int64_t>(size_of(out.dtype));
  const SliceStarts starts("gather", a, task.inputs.subspan(1), self.axes(), slice_shape);
  const Strides slice_strides = row_major_strides(slice_shape);
  const auto slice_size = static_cast<int64_t>(element_count(slice_shape));
  base::parallel_for(starts.count(), kParallelGrain / slice_size + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      copy_strided(a.data + starts[i] * itemsize, a.strides, out.data + i * slice_size * itemsize, slice_strides,
                   slice_shape, itemsize);
    }
  });
}

template <typename T>
T combine(Scatter::Mode mode, const T& old, const T& update) {
  const auto apply = [&](BinaryKind kind) {
    if constexpr (std::is_same_v<T, bool>) {
      return apply_bool(kind, old, update);
    } else if constexpr (std::is_integral_v<T>) {
      return apply_integer(kind, old, update);
    } else if constexpr (std::is_same_v<T, complex64_t>) {
      return apply_complex(kind, old, update);
    } else if constexpr (std::is_same_v<T, double>) {
      return apply_real(kind, old, update);
    } else {
      return T(apply_real(kind, static_cast<float>(old), static_cast<float>(update)));
    }
  };
  switch (mode) {
    case Scatter::Mode::kSum:
      return apply(BinaryKind::kAdd);
    case Scatter::Mode::kProd:
      return apply(BinaryKind::kMultiply);
    case Scatter::Mode::kMax:
      return apply(BinaryKind::kMaximum);
    case Scatter::Mode::kMin:
      return apply(BinaryKind::kMinimum);
    default:
      return update;
  }
}

// In index order on one thread: repeated positions then have one defined result.
template <typename T>
void scatter_typed(const Scatter& self, const Task& task) {
  const Tensor& updates = task.inputs[1];
  const Tensor& out = task.outputs[0];
  const size_t ndim = out.shape.size();
  const Shape slice_shape(updates.shape.end() - ndim, updates.shape.end());
  const Strides slice_strides(updates.strides.end() - ndim, updates.strides.end());
  const Shape index_shape(updates.shape.begin(), updates.shape.end() - ndim);
  const Strides index_strides(updates.strides.begin(), updates.strides.end() - ndim);
  const SliceStarts starts("scatter", out, task.inputs.subspan(2), self.axes(), slice_shape);
  const CollapsedAxes axes = collapse_axes(slice_shape, std::array{slice_strides, out.strides});
  const int64_t rows = RowCursor<2>::count(axes);
  for (int64_t i = 0; i < starts.count(); ++i) {
    T* to = out.as<T>() + starts[i];
    const T* from = updates.as<T>() + strided_location(i, index_shape, index_strides);
    RowCursor<2> cursor(axes);
    cursor.seek(0);
    for (int64_t row = 0; row < rows; ++row, cursor.next()) {
      for (int64_t j = 0; j < axes.shape.back(); ++j) {
        T& slot = to[cursor.offset(1) + j * axes.strides[1].back()];
        slot = combine(self.mode(), slot, from[cursor.offset(0) + j * axes.strides[0].back()]);
      }
    }
  }
}

void scatter(const Primitive& primitive, const Task& task) {
  if (task.outputs[0].data != task.inputs[0].data) copy_tensor(task.inputs[0], task.outputs[0]);
  if (task.inputs[1].size == 0) return;
  dispatch_dtype(task.outputs[0].dtype,
                 [&]<typename T>(T) { scatter_typed<T>(static_cast<const Scatter&>(primitive), task); });
}

// The strides without the axis, so that what is left are independent lines along it.
struct Lines {
  CollapsedAxes axes;  // over the other axes
  int64_t count;

  template <size_t N>
  static Lines of(const Shape& shape, int axis, std::array<Strides, N> strides) {
    Shape others = shape;
    others.erase(others.begin() + axis);
    for (Strides& s : strides) s.erase(s.begin() + axis);
    others.push_back(1);  // the last axis of a cursor's rows
    for (Strides& s : strides) s.push_back(0);
    Lines lines{collapse_axes(others, strides), 1};
    lines.axes.shape.push_back(1);
    for (Strides& s : lines.axes.strides) s.push_back(0);
    lines.count = RowCursor<N>::count(lines.axes);
    return lines;
  }
};

template <typename T>
void gather_axis_typed(int axis, const Task& task) {
  const Tensor& a = task.inputs[0];
  const Tensor& indices = task.inputs[1];
  const Tensor& out = task.outputs[0];
  const Lines lines = Lines::of<3>(out.shape, axis, {a.strides, indices.strides, out.strides});
  const int64_t length = out.shape[axis];
  base::parallel_for(lines.count, kParallelGrain / length + 1, [&](int64_t begin, int64_t end) {
    RowCursor<3> cursor(lines.axes);
    cursor.seek(begin);
    for (int64_t line = begin; line < end; ++line, cursor.next()) {
      const T* from = a.as<T>() + cursor.offset(0);
      T* to = out.as<T>() + cursor.offset(2);
      for (int64_t i = 0; i < length; ++i) {
        const int64_t index = read_index(indices, cursor.offset(1) + i * indices.strides[axis]);
        to[i * out.strides[axis]] =
            from[a.strides[axis] * resolve_index("take_along_axis", index, axis, a.shape[axis], 1)];
      }
    }
  });
}

template <typename T>
void scatter_axis_typed(const ScatterAxis& self, const Task& task) {
  const int axis = self.axis();
  const Tensor& indices = task.inputs[1];
  const Tensor& updates = task.inputs[2];
  const Tensor& out = task.outputs[0];
  const auto mode = self.mode() == ScatterAxis::Mode::kSum ? Scatter::Mode::kSum : Scatter::Mode::kNone;
  const Lines lines = Lines::of<3>(indices.shape, axis, {out.strides, indices.strides, updates.strides});
  const int64_t length = indices.shape[axis];
  base::parallel_for(lines.count, kParallelGrain / length + 1, [&](int64_t begin, int64_t end) {
    RowCursor<3> cursor(lines.axes);
    cursor.seek(begin);
    for (int64_t line = begin; line < end; ++line, cursor.next()) {
      for (int64_t i = 0; i < length; ++i) {
        const int64_t index = read_index(indices, cursor.offset(1) + i * indices.strides[axis]);
        const int64_t at = resolve_index("put_along_axis", index, axis, out.shape[axis], 1);
        T& slot = out.as<T>()[cursor.offset(0) + at * out.strides[axis]];
        slot = combine(mode, slot, updates.as<T>()[cursor.offset(2) + i * updates.strides[axis]]);
      }
    }
  });
}

void gather_axis(const Primitive& primitive, const Task& task) {
  const int axis = static_cast<const GatherAxis&>(primitive).axis();
  dispatch_dtype(task.outputs[0].dtype, [&]<typename T>(T) { gather_axis_typed<T>(axis, task); });
}

void scatter_axis(const Primitive& primitive, const Task& task) {
  if (task.outputs[0].data != task.inputs[0].data) copy_tensor(task.inputs[0], task.outputs[0]);
  if (task.inputs[1].size == 0) return;
  dispatch_dtype(task.outputs[0].dtype,
                 [&]<typename T>(T) { scatter_axis_typed<T>(static_cast<const ScatterAxis&>(primitive), task); });
}

}  // namespace

void register_indexing(Table& table) {
  table.add<Gather>(gather);
  table.add<Scatter>(scatter);
  table.add<GatherAxis>(gather_axis);
  table.add<ScatterAxis>(scatter_axis);
}

}  // namespace plimsoll::cpu
