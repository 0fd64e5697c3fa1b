#include "graph/ops/slice.h"

#include <algorithm>

#include "plimsoll/ops.h"
#include "graph/ops/common.h"

namespace plimsoll {
namespace {

// Python's rules for one axis: bounds count from the end when negative and are clamped.
ShapeElem clamp_bound(int64_t bound, int64_t length, bool backwards) {
  if (bound < 0) bound += length;
  const int64_t lowest = backwards ? -1 : 0;
  const int64_t highest = backwards ? length - 1 : length;
  return static_cast<ShapeElem>(std::clamp(bound, lowest, highest));
}

// Normalizes the spec and returns the shape of the slice.
Shape resolve(const char* op, const array& a, SliceSpec& spec) {
  if (spec.start.size() != a.ndim() || spec.stop.size() != a.ndim() || spec.strides.size() != a.ndim()) {
    ops::fail(op, "start, stop and strides need one entry for each of the " + std::to_string(a.ndim()) + " dimensions");
  }
  Shape shape(a.ndim());
  for (size_t i = 0; i < a.ndim(); ++i) {
    const int64_t step = spec.strides[i];
    if (step == 0) ops::fail(op, "the stride of axis " + std::to_string(i) + " is 0");
    // A negative stop of a backward slice means "counted from the end" too; one below -length runs to the front.
    spec.start[i] = clamp_bound(spec.start[i], a.shape()[i], step < 0);
    spec.stop[i] = clamp_bound(spec.stop[i], a.shape()[i], step < 0);
    const int64_t distance = step > 0 ? spec.stop[i] - spec.start[i] : spec.start[i] - spec.stop[i];
    const int64_t width = step > 0 ? step : -step;
    shape[i] = static_cast<ShapeElem>(std::max<int64_t>(0, (distance + width - 1) / width));
  }
  return shape;
}

bool takes_everything(const array& a, const Shape& shape, const SliceSpec& spec) {
  const bool forward = std::all_of(spec.strides.begin(), spec.strides.end(), [](ShapeElem step) { return step == 1; });
  return forward && shape == a.shape();
}

// Bounds that resolve() leaves as they are: a backward slice that ends at the front has stop -1, which would count from
// the end if it were normalized again.
array slice_resolved(const array& a, const SliceSpec& spec, Shape shape, Stream stream) {
  if (takes_everything(a, shape, spec)) return a;
  return ops::make<Slice>(std::move(shape), a.dtype(), stream, {a}, spec);
}

array update_resolved(const array& source, const array& update, const SliceSpec& spec, Stream stream) {
  return ops::make<SliceUpdate>(source.shape(), source.dtype(), stream, {source, update}, spec);
}

void check_start(const char* op, const array& start, const std::vector<int>& axes) {
  if (start.ndim() > 1 || start.size() != axes.size() || !issubdtype(start.dtype(), integer)) {
    ops::fail(op, "start must hold one integer for each of the " + std::to_string(axes.size()) +
                      " axes; it has shape " + ops::to_text(start.shape()) + " and dtype " +
                      std::string(name_of(start.dtype())));
  }
}

}  // namespace

void Slice::plan(std::span<const array> inputs, std::span<const array> outputs, std::span<OutputPlan> plans) const {
  const Strides& from = inputs[0].strides();
  Strides strides(from.size());
  int64_t first = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    strides[i] = from[i] * spec_.strides[i];
    first += from[i] * spec_.start[i];
  }
  if (outputs[0].size() == 0) first = 0;
  plan_view(outputs[0], strides, first * static_cast<int64_t>(inputs[0].itemsize()), plans[0]);
}

std::vector<array> Slice::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                              const std::vector<int>&, const std::vector<array>&) {
  const array zero = zeros(primals[0].shape(), cotangents[0].dtype(), stream());
  return {update_resolved(zero, cotangents[0], spec_, stream())};
}

bool Slice::is_equivalent(const Primitive& other) const { return spec_ == static_cast<const Slice&>(other).spec_; }

void SliceUpdate::plan(std::span<const array> inputs, std::span<const array>, std::span<OutputPlan> plans) const {
  // A row-major source only: the evaluator writes the rest of the array in that order when it is not donated.
  if (inputs[0].flags().row_contiguous) plans[0].donors.push_back(0);
}

std::vector<array> SliceUpdate::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                    const std::vector<int>& argnums, const std::vector<array>&) {
  const array& cotangent = cotangents[0];
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      const array zero = broadcast_to(zeros({}, cotangent.dtype(), stream()), primals[1].shape(), stream());
      products.push_back(update_resolved(cotangent, zero, spec_, stream()));
    } else {
      products.push_back(slice_resolved(cotangent, spec_, primals[1].shape(), stream()));
    }
  }
  return products;
}

bool SliceUpdate::is_equivalent(const Primitive& other) const {
  return spec_ == static_cast<const SliceUpdate&>(other).spec_;
}

std::vector<array> DynamicSlice::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                     const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      const array zero = zeros(primals[0].shape(), cotangents[0].dtype(), stream());
      products.push_back(slice_update(zero, cotangents[0], primals[1], axes_, stream()));
    } else {
      products.push_back(zeros_like(primals[1], stream()));
    }
  }
  return products;
}

bool DynamicSlice::is_equivalent(const Primitive& other) const {
  const auto& o = static_cast<const DynamicSlice&>(other);
  return axes_ == o.axes_ && slice_size_ == o.slice_size_;
}

void DynamicSliceUpdate::plan(std::span<const array> inputs, std::span<const array>,
                              std::span<OutputPlan> plans) const {
  if (inputs[0].flags().row_contiguous) plans[0].donors.push_back(0);
}

std::vector<array> DynamicSliceUpdate::vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                           const std::vector<int>& argnums, const std::vector<array>&) {
  std::vector<array> products;
  for (const int argnum : argnums) {
    if (argnum == 0) {
      products.push_back(slice_update(cotangents[0], zeros_like(primals[1], stream()), primals[2], axes_, stream()));
    } else if (argnum == 1) {
      products.push_back(slice(cotangents[0], primals[2], axes_, primals[1].shape(), stream()));
    } else {
      products.push_back(zeros_like(primals[2], stream()));
    }
  }
  return products;
}

bool DynamicSliceUpdate::is_equivalent(const Primitive& other) const {
  return axes_ == static_cast<const DynamicSliceUpdate&>(other).axes_;
}

array slice(const array& a, Shape start, Shape stop, Shape strides, StreamOrDevice s) {
  SliceSpec spec{std::move(start), std::move(stop), std::move(strides)};
  Shape shape = resolve("slice", a, spec);
  return slice_resolved(a, spec, std::move(shape), to_stream(s));
}

array slice(const array& a, Shape start, Shape stop, StreamOrDevice s) {
  return slice(a, std::move(start), std::move(stop), Shape(a.ndim(), 1), s);
}

array slice(const array& a, const array& start, std::vector<int> axes, Shape slice_size, StreamOrDevice s) {
  axes = ops::normalize_axes("slice", axes, a.ndim());
  check_start("slice", start, axes);
  if (slice_size.size() != a.ndim()) ops::fail("slice", "slice_size needs one entry for each dimension");
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (slice_size[i] < 0 || slice_size[i] > a.shape()[i]) {
      ops::fail("slice",
                "slice_size " + ops::to_text(slice_size) + " does not fit the shape " + ops::to_text(a.shape()));
    }
  }
  Shape shape = slice_size;
  return ops::make<DynamicSlice>(std::move(shape), a.dtype(), to_stream(s), {a, start}, std::move(axes),
                                 std::move(slice_size));
}

array slice_update(const array& src, const array& update, Shape start, Shape stop, Shape strides, StreamOrDevice s) {
  SliceSpec spec{std::move(start), std::move(stop), std::move(strides)};
  const Shape shape = resolve("slice_update", src, spec);
  const Stream stream = to_stream(s);
  const array typed = astype(update, src.dtype(), stream);
  array value = broadcast_to(typed, shape, stream);
  if (takes_everything(src, shape, spec)) return value;
  return update_resolved(src, value, spec, stream);
}

array slice_update(const array& src, const array& update, Shape start, Shape stop, StreamOrDevice s) {
  return slice_update(src, update, std::move(start), std::move(stop), Shape(src.ndim(), 1), s);
}

array slice_update(const array& src, const array& update, const array& start, std::vector<int> axes, StreamOrDevice s) {
  axes = ops::normalize_axes("slice_update", axes, src.ndim());
  check_start("slice_update", start, axes);
  if (update.ndim() != src.ndim()) ops::fail("slice_update", "update needs the dimensions of the source");
  for (size_t i = 0; i < src.ndim(); ++i) {
    if (update.shape()[i] > src.shape()[i]) {
      ops::fail("slice_update",
                "update of shape " + ops::to_text(update.shape()) + " does not fit into " + ops::to_text(src.shape()));
    }
  }
  const Stream stream = to_stream(s);
  return ops::make<DynamicSliceUpdate>(src.shape(), src.dtype(), stream,
                                       {src, astype(update, src.dtype(), stream), start}, std::move(axes));
}

}  // namespace plimsoll
