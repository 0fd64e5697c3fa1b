// Sorting rows by unsigned keys whose order is that of the elements. A key travels with its position, which makes all
// of them distinct: any algorithm is then stable.
#include "graph/ops/sort.h"

#include <algorithm>
#include <array>
#include <bit>

#include "cpu/last_axis.h"
#include "cpu/register.h"

namespace plimsoll::cpu {
namespace {

constexpr int64_t kRadixLength = 512;  // elements from which counting beats comparing
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

// A 32-bit key above a position.
using ShortItem = uint64_t;

struct LongItem {
  uint64_t key;
  uint64_t index;
  friend auto operator<=>(const LongItem&, const LongItem&) = default;
};

ShortItem make_item(uint32_t key, uint32_t index) { return static_cast<uint64_t>(key) << 32 | index; }
LongItem make_item(uint64_t key, uint32_t index) { return {key, index}; }
uint32_t index_of(ShortItem item) { return static_cast<uint32_t>(item); }
uint32_t index_of(const LongItem& item) { return static_cast<uint32_t>(item.index); }
uint64_t key_of(ShortItem item) { return item >> 32; }
uint64_t key_of(const LongItem& item) { return item.key; }

template <typename Float, typename Bits>
Bits float_key(Float value) {
  constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1);
  if (value != value) return ~Bits(0);
  const Bits bits = value == 0 ? Bits(0) : std::bit_cast<Bits>(value);  // zeros of either sign are equal
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// uint32_t or uint64_t, whichever holds a key of T.
template <typename T>
auto key(const T& value) {
  if constexpr (std::is_same_v<T, complex64_t>) {
    if (value != value) return ~uint64_t(0);
    return static_cast<uint64_t>(float_key<float, uint32_t>(value.real())) << 32 |
           float_key<float, uint32_t>(value.imag());
  } else if constexpr (std::is_same_v<T, double>) {
    return float_key<double, uint64_t>(value);
  } else if constexpr (!std::is_integral_v<T>) {
    return float_key<float, uint32_t>(static_cast<float>(value));
  } else {
    using Key = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;
    constexpr Key kSign = Key(1) << (8 * sizeof(Key) - 1);
    return static_cast<Key>(static_cast<Key>(value) ^ (std::is_signed_v<T> ? kSign : 0));
  }
}

template <typename T>
using Item = decltype(make_item(key(T()), 0));

// Least significant digit first; digits that all keys share are passed over. Returns where the result is.
template <typename ItemType>
ItemType* radix_sort(ItemType* items, ItemType* spare, int64_t count, int key_bits) {
  for (int shift = 0; shift < key_bits; shift += kDigitBits) {
    const auto digit = [shift](const ItemType& item) { return (key_of(item) >> shift) % kDigits; };
    std::array<int64_t, kDigits> position{};
    for (int64_t i = 0; i < count; ++i) ++position[digit(items[i])];
    if (position[digit(items[0])] == count) continue;
    int64_t before = 0;
    for (int64_t& p : position) before += std::exchange(p, before);
    for (int64_t i = 0; i < count; ++i) spare[position[digit(items[i])]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

template <typename T>
class RowSorter {
 public:
  RowSorter(const Sort& sort, const Tensor& in, const Tensor& out)
      : sort_(sort),
        in_(in.as<T>()),
        out_(out.data),
        length_(in.shape[sort.axis()]),
        in_step_(in.strides[sort.axis()]),
        out_step_(out.strides[sort.axis()]) {}

  // The row that starts at these offsets, with scratch for two items an element.
  void operator()(int64_t in_offset, int64_t out_offset, std::byte* scratch) const {
    auto* items = reinterpret_cast<Item<T>*>(scratch);
    const T* row = in_ + in_offset;
    for (int64_t i = 0; i < length_; ++i) items[i] = make_item(key(row[i * in_step_]), static_cast<uint32_t>(i));
    const Item<T>* ordered = order(items);
    if (sort_.gives_indices()) {
      auto* out = reinterpret_cast<uint32_t*>(out_) + out_offset;
      for (int64_t i = 0; i < length_; ++i) out[i * out_step_] = index_of(ordered[i]);
    } else {
      T* out = reinterpret_cast<T*>(out_) + out_offset;
      for (int64_t i = 0; i < length_; ++i) out[i * out_step_] = row[index_of(ordered[i]) * in_step_];
    }
  }

 private:
  const Item<T>* order(Item<T>* items) const {
    if (sort_.is_partition()) {
      std::nth_element(items, items + sort_.kth(), items + length_);
    } else if (length_ < kRadixLength) {
      std::sort(items, items + length_);
    } else {
      return radix_sort(items, items + length_, length_, 8 * static_cast<int>(sizeof(key(T()))));
    }
    return items;
  }

  const Sort& sort_;
  const T* in_;
  std::byte* out_;
  int64_t length_;
  int64_t in_step_;
  int64_t out_step_;
};

size_t worker_bytes(const Sort& sort, const Tensor& in) {
  const size_t item_bytes = dispatch_dtype(in.dtype, []<typename T>(T) { return sizeof(Item<T>); });
  const size_t copies = sort.is_partition() ? 1 : 2;
  const size_t bytes = copies * item_bytes * static_cast<size_t>(in.shape[sort.axis()]);
  return (bytes + 63) / 64 * 64;
}

// Every worker orders one row at a time.
size_t scratch(const Primitive& primitive, std::span<const Tensor> inputs, std::span<const Tensor>) {
  const auto& sort = static_cast<const Sort&>(primitive);
  const Tensor& in = inputs[0];
  if (in.size == 0) return 0;
  const size_t rows = in.size / static_cast<size_t>(in.shape[sort.axis()]);
  return worker_bytes(sort, in) * std::min(rows, static_cast<size_t>(base::num_threads()));
}

CollapsedAxes outer_axes(const Tensor& in, const Tensor& out, int axis) {
  Shape shape = in.shape;
  shape[axis] = 1;
  CollapsedAxes axes = collapse_axes(shape, std::array{in.strides, out.strides});
  axes.shape.push_back(1);  // a cursor stands on the axes before the last
  for (Strides& strides : axes.strides) strides.push_back(0);
  return axes;
}

void run(const Primitive& primitive, const Task& task) {
  const auto& sort = static_cast<const Sort&>(primitive);
  const Tensor& in = task.inputs[0];
  const Tensor& out = task.outputs[0];
  if (in.size == 0) return;
  const CollapsedAxes outer = outer_axes(in, out, sort.axis());
  const size_t bytes = worker_bytes(sort, in);
  const auto workers = static_cast<int64_t>(task.scratch.size() / bytes);
  dispatch_dtype(in.dtype, [&]<typename T>(T) {
    const RowSorter<T> sort_row(sort, in, out);
    run_on_workers(RowCursor<2>::count(outer), workers, task.scratch.data(), bytes, [&](int64_t row, std::byte* own) {
      RowCursor<2> cursor(outer);
      cursor.seek(row);
      sort_row(cursor.offset(0), cursor.offset(1), own);
    });
  });
}

}  // namespace

void register_sort(Table& table) { table.add<Sort>(run, scratch); }

}  // namespace plimsoll::cpu
