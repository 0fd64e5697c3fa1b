#include <cmath>
#include <ostream>
#include <string>

#include "plimsoll/array.h"

namespace plimsoll {
namespace {

constexpr int kEdgeItems = 3;  // at each end of an axis longer than twice that

template <typename T>
void print_element(std::ostream& os, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    os << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, complex64_t>) {
    os << value.real() << (std::signbit(value.imag()) ? "-" : "+") << std::abs(value.imag()) << "j";
  } else if constexpr (sizeof(T) == 1) {
    os << static_cast<int>(value);
  } else {
    os << value;
  }
}

template <typename T>
class Printer {
 public:
  Printer(std::ostream& os, const array& a) : os_(os), a_(a), values_(a.data<T>()) {}

  void print(size_t axis, int64_t location) {
    if (axis == a_.ndim()) {
      print_element(os_, values_[location]);
      return;
    }
    os_ << "[";
    const int length = a_.shape(static_cast<int>(axis));
    for (int i = 0; i < length; ++i) {
      if (i > 0) separate(axis);
      if (length > 2 * kEdgeItems && i == kEdgeItems) {
        os_ << "...";
        i = length - kEdgeItems;
        separate(axis);
      }
      print(axis + 1, location + i * a_.strides()[axis]);
    }
    os_ << "]";
  }

 private:
  void separate(size_t axis) {
    if (axis + 1 == a_.ndim()) {
      os_ << ", ";
    } else {
      os_ << ",\n" << std::string(std::string_view("array(").size() + axis + 1, ' ');
    }
  }

  std::ostream& os_;
  const array& a_;
  const T* values_;
};

}  // namespace

std::ostream& operator<<(std::ostream& os, const array& a) {
  array evaluated = a;
  evaluated.eval();
  os << "array(";
  dispatch_dtype(a.dtype(), [&]<typename T>(T) { Printer<T>(os, evaluated).print(0, 0); });
  return os << ", dtype=" << a.dtype() << ")";
}

}  // namespace plimsoll
