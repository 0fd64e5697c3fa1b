// The array: a handle to a node of a lazily evaluated graph.
//
// An operation returns at once; its result has a shape and a dtype but no values until `eval` (or `item`, `data`,
// printing) asks for them. Handles are cheap to copy and share the node.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "plimsoll/device.h"
#include "plimsoll/dtype.h"
#include "plimsoll/small_vector.h"

namespace plimsoll {

class Primitive;

using ShapeElem = int32_t;
using Shape = SmallVector<ShapeElem>;
using Strides = SmallVector<int64_t>;

// Internal state of arrays, defined by the graph room.
struct ArrayDesc;
struct Data;
struct Node;

// Thread safety: handles of one array may be used from any thread at once; a single handle is not to be assigned while
// another thread reads it (as std::shared_ptr).
class array {
 public:
  // Facts about how the elements lie in the buffer.
  struct Flags {
    bool contiguous : 1;      // the elements fill data_size() slots without gaps, in some axis order
    bool row_contiguous : 1;  // ... in row-major order: element i of the flattened array is slot i
    bool col_contiguous : 1;  // ... in column-major order
  };

  enum Status {
    unscheduled,  // lazy: no values, and no memory for them
    evaluated,    // encoded: the work that makes the values is on its way
    available,    // the values are there
  };

  // A scalar.
  template <HasDtype T>
  explicit array(T value, Dtype dtype = TypeToDtype<T>());
  explicit array(const std::complex<float>& value, Dtype dtype = complex64);

  // The elements of an iterator, in row-major order. Converted to `dtype` element by element.
  template <typename It>
    requires std::input_iterator<It>
  array(It data, Shape shape, Dtype dtype = TypeToDtype<typename std::iterator_traits<It>::value_type>());

  // A list, one-dimensional or of the shape given. Throws std::invalid_argument when the count does not fit the shape.
  template <typename T>
  array(std::initializer_list<T> data, Dtype dtype = TypeToDtype<T>());
  array(std::initializer_list<float> data);             // so that array({}) is an empty float32 array
  array(std::initializer_list<int> data, Dtype dtype);  // so that array({}, dtype) is an empty array
  template <typename T>
  array(std::initializer_list<T> data, Shape shape, Dtype dtype = TypeToDtype<T>());

  // Adopts memory without copying. `deleter` runs once nothing refers to the memory any more, on a thread that calls
  // into the library. Such memory is never written in place.
  array(void* data, Shape shape, Dtype dtype, const std::function<void(void*)>& deleter);

  // A lazy array: output 0 of `primitive`.
  array(Shape shape, Dtype dtype, std::shared_ptr<Primitive> primitive, std::vector<array> inputs);

  // The outputs of a primitive with several.
  static std::vector<array> make_arrays(std::vector<Shape> shapes, const std::vector<Dtype>& dtypes,
                                        const std::shared_ptr<Primitive>& primitive, const std::vector<array>& inputs);

  // An evaluated array over storage that exists. For loaders and evaluators.
  array(Shape shape, Dtype dtype, std::shared_ptr<Data> data, int64_t offset_bytes = 0);

  array(const array& other) = default;
  array(array&& other) noexcept = default;
  array& operator=(const array& other) & = default;
  array& operator=(array&& other) & noexcept = default;
  array& operator=(const array& other) && = delete;
  array& operator=(array&& other) && = delete;
  ~array() = default;

  size_t itemsize() const { return size_of(dtype()); }  // bytes
  size_t size() const;                                  // elements
  size_t nbytes() const { return size() * itemsize(); }
  size_t ndim() const { return shape().size(); }
  const Shape& shape() const;
  // Negative dimensions count from the end. Throws std::out_of_range.
  ShapeElem shape(int dim) const;
  Dtype dtype() const;

  // Evaluates and waits for the values. Throws what evaluation throws.
  void eval();

  // The value of an array of size 1, evaluated if need be. Throws std::invalid_argument for other sizes.
  template <typename T>
  T item() const;

  // Iteration over the first axis.
  struct ArrayIterator {
    using iterator_category = std::random_access_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = array;
    using pointer = const array*;
    using reference = array;

    ArrayIterator(const array& source, int position) : array_(&source), index_(position) {}
    array operator*() const;
    ArrayIterator& operator+(difference_type count) {
      index_ += static_cast<int>(count);
      return *this;
    }
    ArrayIterator& operator++() {
      ++index_;
      return *this;
    }
    friend bool operator==(const ArrayIterator& a, const ArrayIterator& b) {
      return a.array_->id() == b.array_->id() && a.index_ == b.index_;
    }

   private:
    const array* array_;
    int index_;
  };
  ArrayIterator begin() const { return {*this, 0}; }
  ArrayIterator end() const { return {*this, shape(0)}; }

  // What follows is for operations, transforms and evaluators.

  std::uintptr_t id() const { return reinterpret_cast<std::uintptr_t>(desc_.get()); }
  std::uintptr_t primitive_id() const;

  bool has_primitive() const;
  Primitive& primitive() const;
  const std::shared_ptr<Primitive>& primitive_ptr() const;
  const std::vector<array>& inputs() const;
  // All outputs of the primitive, this one included, in order.
  std::vector<array> outputs() const;
  // Which output of its primitive this is.
  int output_index() const;
  // Forgets how the array is made; it must have been evaluated.
  void detach();

  // Valid once evaluated. Strides are in elements and may be negative.
  const Strides& strides() const;
  int64_t strides(int dim) const;
  const Flags& flags() const;
  size_t data_size() const;    // slots from the lowest to the highest element, in elements
  int64_t offset() const;      // bytes from the start of the buffer to element [0, 0, ...]
  size_t buffer_size() const;  // bytes of the buffer behind, shared or not
  const std::shared_ptr<Data>& data_shared_ptr() const;

  // The values, once available: element [0, 0, ...]. Other elements are found through strides().
  template <typename T>
  T* data() {
    return static_cast<T*>(raw_data());
  }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(raw_data());
  }

  Status status() const;
  // True when the values are there, without waiting.
  bool is_available() const;
  // Waits for encoded work. Throws when that work failed.
  void wait() const;

  // Whether a transform follows this array; evaluation then keeps its graph.
  bool is_tracer() const;
  void set_tracer(bool tracer);

  ArrayDesc& desc() const { return *desc_; }
  const std::shared_ptr<ArrayDesc>& desc_ptr() const { return desc_; }
  explicit array(std::shared_ptr<ArrayDesc> desc) : desc_(std::move(desc)) {}

 private:
  // An evaluated array of uninitialized, row-contiguous memory, to be filled before anyone else sees it.
  struct Uninitialized {};
  array(Uninitialized, Shape shape, Dtype dtype);

  void* raw_data() const;
  void check_count(size_t count) const;
  template <typename It>
  void fill(It it);

  std::shared_ptr<ArrayDesc> desc_;
};

// Prints as MLX does: array([1, 2, 3], dtype=int32). Evaluates.
std::ostream& operator<<(std::ostream& os, const array& a);

template <HasDtype T>
array::array(T value, Dtype dtype) : array(Uninitialized{}, Shape{}, dtype) {
  fill(&value);
}

template <typename It>
  requires std::input_iterator<It>
array::array(It data, Shape shape, Dtype dtype) : array(Uninitialized{}, std::move(shape), dtype) {
  fill(data);
}

template <typename T>
array::array(std::initializer_list<T> data, Dtype dtype)
    : array(Uninitialized{}, Shape{static_cast<ShapeElem>(data.size())}, dtype) {
  fill(data.begin());
}

template <typename T>
array::array(std::initializer_list<T> data, Shape shape, Dtype dtype)
    : array(Uninitialized{}, std::move(shape), dtype) {
  check_count(data.size());
  fill(data.begin());
}

namespace detail {

// Conversion of one element as `astype` defines it: complex to real drops the imaginary part, anything to bool asks
// whether it differs from zero.
template <typename To, typename From>
To convert_element(const From& value) {
  if constexpr (std::is_same_v<From, complex64_t> && !std::is_same_v<To, complex64_t>) {
    if constexpr (std::is_same_v<To, bool>) return value != complex64_t{};
    return static_cast<To>(value.real());
  } else if constexpr (std::is_same_v<To, complex64_t> && !std::is_same_v<From, complex64_t>) {
    return complex64_t(static_cast<float>(value), 0.0f);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_half_v<From>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace detail

template <typename It>
void array::fill(It it) {
  dispatch_dtype(dtype(), [&]<typename T>(T) {
    T* out = data<T>();
    for (size_t i = 0, n = size(); i < n; ++i, ++it) out[i] = detail::convert_element<T>(*it);
  });
}

template <typename T>
T array::item() const {
  if (size() != 1) throw std::invalid_argument("[item] only arrays of size 1 have an item; this one has more or none");
  const_cast<array*>(this)->eval();
  return dispatch_dtype(dtype(), [&]<typename From>(From) { return detail::convert_element<T>(*data<From>()); });
}

}  // namespace plimsoll
