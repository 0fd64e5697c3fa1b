#include "graph/ops/common.h"

#include <algorithm>
#include <stdexcept>

#include "plimsoll/ops.h"

namespace plimsoll::ops {

std::string to_text(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + ")";
}

void fail(const char* op, const std::string& what) { throw std::invalid_argument(std::string("[") + op + "] " + what); }

int normalize_axis(const char* op, int axis, size_t ndim) {
  const int index = axis < 0 ? axis + static_cast<int>(ndim) : axis;
  if (index < 0 || index >= static_cast<int>(ndim)) {
    fail(op, "axis " + std::to_string(axis) + " is out of range for " + std::to_string(ndim) + " dimensions");
  }
  return index;
}

std::vector<int> normalize_axes(const char* op, const std::vector<int>& axes, size_t ndim) {
  std::vector<int> normalized;
  for (const int axis : axes) {
    const int index = normalize_axis(op, axis, ndim);
    if (std::find(normalized.begin(), normalized.end(), index) != normalized.end()) {
      fail(op, "axis " + std::to_string(axis) + " is given twice");
    }
    normalized.push_back(index);
  }
  return normalized;
}

std::vector<int> all_axes(size_t ndim) {
  std::vector<int> axes(ndim);
  for (size_t i = 0; i < ndim; ++i) axes[i] = static_cast<int>(i);
  return axes;
}

Dtype at_least_float(Dtype dtype) { return issubdtype(dtype, inexact) ? dtype : float32; }

array sum_to_shape(const array& a, const Shape& shape, Stream stream) {
  if (a.shape() == shape) return a;
  const size_t added = a.ndim() - shape.size();
  std::vector<int> axes;
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (i < added || (shape[i - added] == 1 && a.shape()[i] != 1)) axes.push_back(static_cast<int>(i));
  }
  return reshape(sum(a, axes, true, stream), shape, stream);
}

}  // namespace plimsoll::ops
