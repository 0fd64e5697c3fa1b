#include "cpu/copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/strided_loop.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kTile = 32;  // elements a side: both sides of a transposed tile stay in the first-level cache

template <typename T>
void copy_row(const T* source, int64_t source_stride, T* destination, int64_t destination_stride, int64_t length) {
  if (source_stride == 1 && destination_stride == 1) {
    std::memcpy(destination, source, static_cast<size_t>(length) * sizeof(T));
  } else if (source_stride == 0 && destination_stride == 1) {
    std::fill_n(destination, length, *source);
  } else {
    for (int64_t i = 0; i < length; ++i) destination[i * destination_stride] = source[i * source_stride];
  }
}

// Where the source runs fastest along another axis than the destination, tiles over those two axes keep both in cache.
// Returns that axis, or -1.
int fast_source_axis(const CollapsedAxes& axes) {
  const Strides& source = axes.strides[0];
  const int last = static_cast<int>(axes.shape.size()) - 1;
  if (std::abs(source[last]) <= 1 || axes.shape[last] < 4) return -1;
  for (int i = 0; i < last; ++i) {
    if (source[i] == 1 && axes.shape[i] >= 4) return i;
  }
  return -1;
}

template <typename T>
void copy_tile(const T* source, T* destination, int64_t source_step, int64_t destination_step, int64_t destination_last,
               int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      destination[i * destination_step + j * destination_last] = source[i + j * source_step];
    }
  }
}

// One task copies a strip of kTile rows of axis `fast` and the whole last axis.
template <typename T>
void copy_transposed(const CollapsedAxes& axes, int fast, const T* source, T* destination) {
  CollapsedAxes outer = axes;  // the axes that are not tiled, and a last one of length 1
  const int64_t rows = axes.shape[fast];
  const int64_t columns = axes.shape.back();
  outer.shape[fast] = (rows + kTile - 1) / kTile;
  for (Strides& strides : outer.strides) strides[fast] *= kTile;
  outer.shape.back() = 1;
  base::parallel_for(
      RowCursor<2>::count(outer), kParallelGrain / (kTile * columns) + 1, [&](int64_t begin, int64_t end) {
        RowCursor<2> cursor(outer);
        cursor.seek(begin);
        for (int64_t strip = begin; strip < end; ++strip, cursor.next()) {
          int64_t inner = 1;
          for (size_t i = fast + 1; i + 1 < outer.shape.size(); ++i) inner *= outer.shape[i];
          const int64_t first_row = (strip / inner) % outer.shape[fast] * kTile;
          const int64_t height = std::min(kTile, rows - first_row);
          for (int64_t j = 0; j < columns; j += kTile) {
            copy_tile(source + cursor.offset(0) + j * axes.strides[0].back(),
                      destination + cursor.offset(1) + j * axes.strides[1].back(), axes.strides[0].back(),
                      axes.strides[1][fast], axes.strides[1].back(), height, std::min(kTile, columns - j));
          }
        }
      });
}

template <typename T>
void copy_typed(const CollapsedAxes& axes, const std::byte* from, std::byte* to) {
  const T* source = reinterpret_cast<const T*>(from);
  T* destination = reinterpret_cast<T*>(to);
  const int fast = fast_source_axis(axes);
  if (fast >= 0) {
    copy_transposed(axes, fast, source, destination);
    return;
  }
  for_each_row<2>(axes, [&](const std::array<int64_t, 2>& offsets, int64_t length) {
    copy_row(source + offsets[0], axes.strides[0].back(), destination + offsets[1], axes.strides[1].back(), length);
  });
}

}  // namespace

void copy_strided(const std::byte* source, const Strides& source_strides, std::byte* destination,
                  const Strides& destination_strides, const Shape& shape, size_t itemsize) {
  const std::array<Strides, 2> strides{source_strides, destination_strides};
  const CollapsedAxes axes = collapse_axes(shape, strides);
  for (const int64_t dim : axes.shape) {
    if (dim == 0) return;
  }
  switch (itemsize) {
    case 1:
      return copy_typed<uint8_t>(axes, source, destination);
    case 2:
      return copy_typed<uint16_t>(axes, source, destination);
    case 4:
      return copy_typed<uint32_t>(axes, source, destination);
    default:
      return copy_typed<uint64_t>(axes, source, destination);
  }
}

void copy_tensor(const Tensor& source, const Tensor& destination) {
  copy_strided(source.data, source.strides, destination.data, destination.strides, source.shape, size_of(source.dtype));
}

}  // namespace plimsoll::cpu
