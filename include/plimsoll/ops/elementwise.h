// Operations that work element by element. Two operands are broadcast to a common shape and promoted to a common dtype
// (promote_types). Shapes that do not broadcast throw std::invalid_argument.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "plimsoll/array.h"
#include "plimsoll/device.h"

namespace plimsoll {

// Conversion: floats to integers truncate toward zero, and out-of-range values are unspecified but never trap; anything
// to bool_ asks whether it differs from zero; complex to real drops the imaginary part.
array astype(const array& a, Dtype dtype, StreamOrDevice s = {});
array copy(const array& a, StreamOrDevice s = {});
// An array whose elements are row-major in memory (or column-major, if allowed): `a` itself where it is already.
array contiguous(const array& a, bool allow_col_major = false, StreamOrDevice s = {});
// The bytes of `a` as another dtype; the last axis grows or shrinks with the item size.
array view(const array& a, const Dtype& dtype, StreamOrDevice s = {});
// Identity with a zero derivative.
array stop_gradient(const array& a, StreamOrDevice s = {});

// One operand. Those marked (float) compute integers and bool in float32.
array abs(const array& a, StreamOrDevice s = {});
array negative(const array& a, StreamOrDevice s = {});
array operator-(const array& a);
array sign(const array& a, StreamOrDevice s = {});
array logical_not(const array& a, StreamOrDevice s = {});
array bitwise_invert(const array& a, StreamOrDevice s = {});
array operator~(const array& a);
array floor(const array& a, StreamOrDevice s = {});
array ceil(const array& a, StreamOrDevice s = {});
array round(const array& a, int decimals, StreamOrDevice s = {});  // halves to even
inline array round(const array& a, StreamOrDevice s = {}) { return round(a, 0, s); }
array square(const array& a, StreamOrDevice s = {});
array sqrt(const array& a, StreamOrDevice s = {});        // (float)
array rsqrt(const array& a, StreamOrDevice s = {});       // (float)
array reciprocal(const array& a, StreamOrDevice s = {});  // (float)
array exp(const array& a, StreamOrDevice s = {});         // (float)
array expm1(const array& a, StreamOrDevice s = {});       // (float)
array log(const array& a, StreamOrDevice s = {});         // (float)
array log2(const array& a, StreamOrDevice s = {});        // (float)
array log10(const array& a, StreamOrDevice s = {});       // (float)
array log1p(const array& a, StreamOrDevice s = {});       // (float)
array sin(const array& a, StreamOrDevice s = {});         // (float)
array cos(const array& a, StreamOrDevice s = {});         // (float)
array tan(const array& a, StreamOrDevice s = {});         // (float)
array arcsin(const array& a, StreamOrDevice s = {});      // (float)
array arccos(const array& a, StreamOrDevice s = {});      // (float)
array arctan(const array& a, StreamOrDevice s = {});      // (float)
array sinh(const array& a, StreamOrDevice s = {});        // (float)
array cosh(const array& a, StreamOrDevice s = {});        // (float)
array tanh(const array& a, StreamOrDevice s = {});        // (float)
array arcsinh(const array& a, StreamOrDevice s = {});     // (float)
array arccosh(const array& a, StreamOrDevice s = {});     // (float)
array arctanh(const array& a, StreamOrDevice s = {});     // (float)
array erf(const array& a, StreamOrDevice s = {});         // (float)
array erfinv(const array& a, StreamOrDevice s = {});      // (float)
array sigmoid(const array& a, StreamOrDevice s = {});     // (float)
array degrees(const array& a, StreamOrDevice s = {});     // (float)
array radians(const array& a, StreamOrDevice s = {});     // (float)
array real(const array& a, StreamOrDevice s = {});        // float32 of complex64
array imag(const array& a, StreamOrDevice s = {});        // float32 of complex64
array conjugate(const array& a, StreamOrDevice s = {});
array isnan(const array& a, StreamOrDevice s = {});
array isinf(const array& a, StreamOrDevice s = {});
array isfinite(const array& a, StreamOrDevice s = {});
array isposinf(const array& a, StreamOrDevice s = {});
array isneginf(const array& a, StreamOrDevice s = {});
// NaN and infinities replaced; infinities default to the dtype's largest finite values.
array nan_to_num(const array& a, float nan = 0.0f, std::optional<float> posinf = std::nullopt,
                 std::optional<float> neginf = std::nullopt, StreamOrDevice s = {});

// Two operands.
array add(const array& a, const array& b, StreamOrDevice s = {});
array subtract(const array& a, const array& b, StreamOrDevice s = {});
array multiply(const array& a, const array& b, StreamOrDevice s = {});
array divide(const array& a, const array& b, StreamOrDevice s = {});        // integers divide in float32
array floor_divide(const array& a, const array& b, StreamOrDevice s = {});  // x // 0 of integers is 0
array remainder(const array& a, const array& b, StreamOrDevice s = {});     // the sign of the divisor; x % 0 is 0
std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s = {});
array power(const array& a, const array& b, StreamOrDevice s = {});
array maximum(const array& a, const array& b, StreamOrDevice s = {});  // NaN if either is
array minimum(const array& a, const array& b, StreamOrDevice s = {});
array logaddexp(const array& a, const array& b, StreamOrDevice s = {});
array arctan2(const array& a, const array& b, StreamOrDevice s = {});
array logical_and(const array& a, const array& b, StreamOrDevice s = {});
array logical_or(const array& a, const array& b, StreamOrDevice s = {});
array operator&&(const array& a, const array& b);
array operator||(const array& a, const array& b);
array bitwise_and(const array& a, const array& b, StreamOrDevice s = {});
array bitwise_or(const array& a, const array& b, StreamOrDevice s = {});
array bitwise_xor(const array& a, const array& b, StreamOrDevice s = {});
array left_shift(const array& a, const array& b, StreamOrDevice s = {});
array right_shift(const array& a, const array& b, StreamOrDevice s = {});
array operator&(const array& a, const array& b);
array operator|(const array& a, const array& b);
array operator^(const array& a, const array& b);
array operator<<(const array& a, const array& b);
array operator>>(const array& a, const array& b);

array equal(const array& a, const array& b, StreamOrDevice s = {});
array not_equal(const array& a, const array& b, StreamOrDevice s = {});
array greater(const array& a, const array& b, StreamOrDevice s = {});
array greater_equal(const array& a, const array& b, StreamOrDevice s = {});
array less(const array& a, const array& b, StreamOrDevice s = {});
array less_equal(const array& a, const array& b, StreamOrDevice s = {});

// `condition ? x : y`; nothing of the side not chosen reaches the result or its gradient.
array where(const array& condition, const array& x, const array& y, StreamOrDevice s = {});
array clip(const array& a, const std::optional<array>& a_min = std::nullopt,
           const std::optional<array>& a_max = std::nullopt, StreamOrDevice s = {});

array isclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
              StreamOrDevice s = {});
array allclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
               StreamOrDevice s = {});
array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s = {});
inline array array_equal(const array& a, const array& b, StreamOrDevice s = {}) { return array_equal(a, b, false, s); }

// Operators take arrays and scalars; a scalar is converted to an array of its own type first, as in MLX.
template <typename T>
concept ArrayScalar = std::is_arithmetic_v<T> || is_half_v<T> || std::is_same_v<T, complex64_t>;

#define PLIMSOLL_BINARY_OPERATOR(symbol, function)                                        \
  inline array operator symbol(const array& a, const array& b) { return function(a, b); } \
  template <ArrayScalar T>                                                                \
  array operator symbol(T a, const array& b) {                                            \
    return function(array(a), b);                                                         \
  }                                                                                       \
  template <ArrayScalar T>                                                                \
  array operator symbol(const array& a, T b) {                                            \
    return function(a, array(b));                                                         \
  }

PLIMSOLL_BINARY_OPERATOR(+, add)
PLIMSOLL_BINARY_OPERATOR(-, subtract)
PLIMSOLL_BINARY_OPERATOR(*, multiply)
PLIMSOLL_BINARY_OPERATOR(/, divide)
PLIMSOLL_BINARY_OPERATOR(%, remainder)
PLIMSOLL_BINARY_OPERATOR(==, equal)
PLIMSOLL_BINARY_OPERATOR(!=, not_equal)
PLIMSOLL_BINARY_OPERATOR(>, greater)
PLIMSOLL_BINARY_OPERATOR(>=, greater_equal)
PLIMSOLL_BINARY_OPERATOR(<, less)
PLIMSOLL_BINARY_OPERATOR(<=, less_equal)
#undef PLIMSOLL_BINARY_OPERATOR

}  // namespace plimsoll
