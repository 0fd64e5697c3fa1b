// Element-by-element operations where kernels take their special ways: unaligned operands, broadcasts along rows and
// columns, many axes, the ends of integers, every half, functions at all magnitudes.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

// `count` elements that start `offset` elements into their buffer.
array offset_by(const array& base, int offset, int count) { return slice(base, {offset}, {offset + count}); }

std::vector<double> part(const std::vector<double>& values, int offset, int count) {
  return {values.begin() + offset, values.begin() + offset + count};
}

std::vector<double> combined(std::vector<double> a, const std::vector<double>& b, double (*f)(double, double)) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = f(a[i], b[i]);
  return a;
}

TEST(ElementwiseEdges, EveryOffsetModuloSixteen) {
  constexpr int kCount = 67;
  for (const Dtype dtype : kRealDtypes) {
    const array a = any_array({kCount + 16}, dtype, 1), b = any_array({kCount + 16}, dtype, 2);
    const array condition = any_array({kCount + 16}, bool_, 3);
    const std::vector<double> x = doubles(a), y = doubles(b), chosen = doubles(condition);
    for (int offset = 0; offset < 16; ++offset) {
      const int other = offset * 7 % 16;
      const array u = offset_by(a, offset, kCount), v = offset_by(b, other, kCount);
      const std::vector<double> left = part(x, offset, kCount), right = part(y, other, kCount);
      expect_close(maximum(u, v), combined(left, right, [](double p, double q) { return std::max(p, q); }), 0);
      expect_close(less(u, v), combined(left, right, [](double p, double q) { return double(p < q); }), 0);
      expect_close(square(u), combined(left, left, [](double p, double q) { return p * q; }), 2 * epsilon(dtype));
      expect_close(astype(u, float32), left, epsilon(float32));
      std::vector<double> want = right;
      for (int i = 0; i < kCount; ++i) want[i] = chosen[other + i] != 0 ? left[i] : right[i];
      expect_close(where(offset_by(condition, other, kCount), u, v), want, 0);
    }
  }
}

TEST(ElementwiseEdges, RowsColumnsAndScalarsAreBroadcast) {
  for (const Dtype dtype : kRealDtypes) {
    for (const Shape& shape : {Shape{5, 24}, Shape{5, 23}, Shape{3, 2, 4, 8}, Shape{4, 1}}) {
      const array whole = any_array(shape, dtype, 1);
      Shape row(shape.size(), 1), column = shape, outer(shape.size(), 1), middle = shape;
      row.back() = shape.back(), column.back() = 1, outer[0] = shape[0], middle[0] = 1;
      for (const Shape& small : {row, column, outer, middle, Shape(shape.size(), 1)}) {
        const array part = any_array(small, dtype, 2);
        const array spread = contiguous(broadcast_to(part, shape));
        const std::vector<double> a = doubles(whole), b = doubles(spread);
        const auto more = [](double p, double q) { return double(p > q); };
        expect_close(minimum(whole, part), combined(a, b, [](double p, double q) { return std::min(p, q); }), 0);
        expect_close(greater(whole, part), combined(a, b, more), 0);
        expect_close(greater(part, whole), combined(b, a, more), 0);
        expect_close(where(astype(part, bool_), whole, part),
                     combined(a, b, [](double p, double q) { return q != 0 ? p : q; }), 0);
      }
    }
  }
}

TEST(ElementwiseEdges, ManyAxesThatDoNotJoin) {
  const Shape shape{2, 3, 2, 2, 3, 2, 2, 3, 2};
  const array a = any_array(shape, int32, 1), b = any_array(shape, int32, 2);
  const std::vector<int> order{8, 6, 4, 2, 0, 7, 5, 3, 1};
  const array x = transpose(a, order), y = transpose(flip(b, 4), order);
  const std::vector<double> want =
      combined(doubles(contiguous(x)), doubles(contiguous(y)), [](double p, double q) { return p - q; });
  expect_close(subtract(x, flip(flip(y, 0), 0)), want, 0);
  expect_close(subtract(astype(x, float32), contiguous(astype(y, float32))), want, 0);
}

template <typename T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const int small : {0, 1, 2, 3, 5, 7, 8, 31, 33, 63, 64, 100}) values.push_back(static_cast<T>(small));
  for (const int below : {1, 2, 3, 7}) values.push_back(static_cast<T>(0 - below));
  for (const T end : {Limits::min(), static_cast<T>(Limits::min() + 1), Limits::max(),
                      static_cast<T>(Limits::max() / 2 + 1), static_cast<T>(Limits::max() / 3)}) {
    values.push_back(end);
  }
  return values;
}

// Every pair of extremes, and f of it in T, element by element.
template <typename T, typename F>
void expect_pairs(array (*op)(const array&, const array&, StreamOrDevice), const char* name, F f) {
  std::vector<T> a, b;
  for (const T x : extremes<T>()) {
    for (const T y : extremes<T>()) a.push_back(x), b.push_back(y);
  }
  const Shape shape{static_cast<ShapeElem>(a.size())};
  array got = op(array(a.begin(), shape, TypeToDtype<T>()), array(b.begin(), shape, TypeToDtype<T>()), {});
  got.eval();
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(got.data<T>()[i], f(a[i], b[i])) << name << '(' << +a[i] << ", " << +b[i] << ") of " << got.dtype();
  }
}

template <typename T>
T rounded_down(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
  const T quotient = static_cast<T>(a / b);
  return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
}

template <typename T>
T shifted(T a, T count, bool left) {
  const bool whole = count < 0 || static_cast<uint64_t>(count) >= 8 * sizeof(T);
  if (left) return whole ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << static_cast<uint64_t>(count));
  return whole ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> static_cast<int>(count));
}

template <typename T>
void expect_integer_rules() {
  const auto wrapped = [](auto f) {
    return [f](T a, T b) { return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b))); };
  };
  expect_pairs<T>(add, "add", wrapped([](uint64_t a, uint64_t b) { return a + b; }));
  expect_pairs<T>(subtract, "subtract", wrapped([](uint64_t a, uint64_t b) { return a - b; }));
  expect_pairs<T>(multiply, "multiply", wrapped([](uint64_t a, uint64_t b) { return a * b; }));
  expect_pairs<T>(maximum, "maximum", [](T a, T b) { return std::max(a, b); });
  expect_pairs<T>(floor_divide, "floor_divide", rounded_down<T>);
  expect_pairs<T>(remainder, "remainder", [](T a, T b) {
    const auto product = static_cast<uint64_t>(rounded_down(a, b)) * static_cast<uint64_t>(b);
    return b == 0 ? T(0) : static_cast<T>(static_cast<uint64_t>(a) - product);
  });
  expect_pairs<T>(left_shift, "left_shift", [](T a, T b) { return shifted(a, b, true); });
  expect_pairs<T>(right_shift, "right_shift", [](T a, T b) { return shifted(a, b, false); });
}

TEST(ElementwiseEdges, IntegersWrapShiftAndDivideAtTheirEnds) {
  expect_integer_rules<uint8_t>();
  expect_integer_rules<uint16_t>();
  expect_integer_rules<uint32_t>();
  expect_integer_rules<uint64_t>();
  expect_integer_rules<int8_t>();
  expect_integer_rules<int16_t>();
  expect_integer_rules<int32_t>();
  expect_integer_rules<int64_t>();
}

TEST(ElementwiseEdges, IntegersConvertModuloTheirWidth) {
  const std::vector<int64_t> values = extremes<int64_t>();
  const array a(values.begin(), Shape{static_cast<ShapeElem>(values.size())}, int64);
  const auto check = [&]<typename T>(T) {
    array got = astype(a, TypeToDtype<T>());
    got.eval();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(got.data<T>()[i], static_cast<T>(values[i])) << got.dtype();
  };
  check(uint8_t());
  check(int8_t());
  check(uint16_t());
  check(int32_t());
  check(uint64_t());
  check(float());
}

// All 65536 of a 16-bit float: widening is exact, and narrowing gives the same bits back (NaN a NaN).
template <typename Half>
void expect_every_half() {
  std::vector<uint16_t> bits(1 << 16);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  const array halves = view(array(bits.begin(), Shape{1 << 16}, uint16), TypeToDtype<Half>());
  array wide = astype(halves, float32);
  array back = astype(wide, TypeToDtype<Half>());
  eval(wide, back);
  for (size_t i = 0; i < bits.size(); ++i) {
    const float want = Half::from_bits(bits[i]);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(wide.data<float>()[i]) && std::isnan(static_cast<float>(back.data<Half>()[i]))) << i;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(wide.data<float>()[i]), std::bit_cast<uint32_t>(want)) << i;
      ASSERT_EQ(back.data<Half>()[i].bits, bits[i]) << i;
    }
  }
}

TEST(ElementwiseEdges, EveryHalfConvertsExactly) {
  expect_every_half<float16_t>();
  expect_every_half<bfloat16_t>();
}

// Halfway between all neighbours, and a step to either side: to the nearest, of two the even one.
template <typename Half>
void expect_nearest_even(uint16_t infinity) {
  std::vector<float> values;
  for (uint16_t bits = 0; bits + 1 < infinity; ++bits) {
    const float halfway = 0.5f * static_cast<float>(Half::from_bits(bits)) +
                          0.5f * static_cast<float>(Half::from_bits(static_cast<uint16_t>(bits + 1)));
    for (const float value : {halfway, std::nextafter(halfway, 0.0f), std::nextafter(halfway, INFINITY)}) {
      // Devices may take subnormal float32 numbers for zero.
      if (value >= 0x1p-126f) values.insert(values.end(), {value, -value});
    }
  }
  const auto highest = static_cast<float>(Half::from_bits(static_cast<uint16_t>(infinity - 1)));
  for (const float factor : {1.0001f, 1.0004f, 1.01f}) values.push_back(highest * factor);
  array got = astype(array(values.begin(), Shape{static_cast<ShapeElem>(values.size())}, float32), TypeToDtype<Half>());
  got.eval();
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(got.data<Half>()[i].bits, Half(values[i]).bits) << values[i];
}

TEST(ElementwiseEdges, HalvesRoundToNearestEven) {
  expect_nearest_even<float16_t>(0x7c00);
  expect_nearest_even<bfloat16_t>(0x7f80);
}

struct Function {
  const char* name;
  array (*op)(const array&, StreamOrDevice);
  double (*reference)(double);
  double bound;  // ulp
};

// Every exponent of float32 that is no subnormal, both signs, and what is not finite.
std::vector<float> all_magnitudes() {
  std::vector<float> values{0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f};
  for (uint32_t bits = 0x00800000u; bits < 0x7f800000u; bits += 0x000b5ca7u) {
    for (const uint32_t sign : {0u, 0x80000000u}) values.push_back(std::bit_cast<float>(bits | sign));
  }
  return values;
}

// Distance of `got` from `want` in units of float32's last place at `want`; subnormal results may be zero.
double ulps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  const auto nearest = static_cast<float>(want);
  if (got == nearest) return 0;
  if (std::isinf(nearest) || std::isinf(got)) return std::abs(want) > 3.4e38 && std::abs(got) > 3.4e38f ? 1 : INFINITY;
  if (std::abs(want) < 0x1p-126) return std::abs(got - want) <= 0x1p-126 ? 0 : INFINITY;
  return std::abs(static_cast<double>(got) - want) / std::ldexp(1.0, std::ilogb(want) - 23);
}

TEST(ElementwiseEdges, FunctionsAtAllMagnitudes) {
#define PLIMSOLL_FUNCTION(name, function, bound)                               \
  Function {                                                                   \
    #name, name, [](double x) { return static_cast<double>(function); }, bound \
  }
  const Function functions[] = {
      PLIMSOLL_FUNCTION(exp, std::exp(x), 2),        PLIMSOLL_FUNCTION(expm1, std::expm1(x), 2),
      PLIMSOLL_FUNCTION(log, std::log(x), 2),        PLIMSOLL_FUNCTION(log1p, std::log1p(x), 2),
      PLIMSOLL_FUNCTION(log2, std::log2(x), 2.5),    PLIMSOLL_FUNCTION(log10, std::log10(x), 3),
      PLIMSOLL_FUNCTION(sin, std::sin(x), 2),        PLIMSOLL_FUNCTION(cos, std::cos(x), 2),
      PLIMSOLL_FUNCTION(tan, std::tan(x), 6),        PLIMSOLL_FUNCTION(arcsin, std::asin(x), 4),
      PLIMSOLL_FUNCTION(arccos, std::acos(x), 4),    PLIMSOLL_FUNCTION(arctan, std::atan(x), 4),
      PLIMSOLL_FUNCTION(sinh, std::sinh(x), 5),      PLIMSOLL_FUNCTION(cosh, std::cosh(x), 5),
      PLIMSOLL_FUNCTION(tanh, std::tanh(x), 4),      PLIMSOLL_FUNCTION(arcsinh, std::asinh(x), 5),
      PLIMSOLL_FUNCTION(arccosh, std::acosh(x), 5),  PLIMSOLL_FUNCTION(arctanh, std::atanh(x), 5),
      PLIMSOLL_FUNCTION(erf, std::erf(x), 4),        PLIMSOLL_FUNCTION(sigmoid, 1 / (1 + std::exp(-x)), 5),
      PLIMSOLL_FUNCTION(rsqrt, 1 / std::sqrt(x), 3), PLIMSOLL_FUNCTION(sqrt, std::sqrt(x), 3),
  };
#undef PLIMSOLL_FUNCTION
  const std::vector<float> x = all_magnitudes();
  const array a(x.begin(), Shape{static_cast<ShapeElem>(x.size())}, float32);
  for (const Function& f : functions) {
    array got = f.op(a, {});
    got.eval();
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(got.data<float>()[i], f.reference(x[i]));
      if (error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, f.bound) << f.name << '(' << x[at] << ") is " << got.data<float>()[at];
  }
}

TEST(ElementwiseEdges, PowersOfSpecialNumbers) {
  const std::vector<float> values{0.0f, -0.0f, 1.0f,  -1.0f,  2.0f,     -2.0f,     3.0f, -3.0f,
                                  0.5f, -0.5f, 1e30f, -1e30f, INFINITY, -INFINITY, NAN};
  std::vector<double> want;
  for (const float x : values) {
    for (const float y : values) want.push_back(static_cast<float>(std::pow(static_cast<double>(x), y)));
  }
  const auto n = static_cast<ShapeElem>(values.size());
  const array column(values.begin(), Shape{n, 1}, float32), row(values.begin(), Shape{1, n}, float32);
  expect_close(power(column, row), want, 1e-6, "power");
}

TEST(ElementwiseEdges, ComparisonsWithNaN) {
  for (const Dtype dtype : kFloatDtypes) {
    const array a = astype(array({NAN, NAN, 1.0f, 0.0f}), dtype), b = astype(array({NAN, 1.0f, NAN, -0.0f}), dtype);
    expect_close(equal(a, b), {0, 0, 0, 1}, 0);
    expect_close(not_equal(a, b), {1, 1, 1, 0}, 0);
    expect_close(less(a, b), {0, 0, 0, 0}, 0);
    expect_close(greater_equal(a, b), {0, 0, 0, 1}, 0);
    expect_close(logical_and(a, b), {1, 1, 1, 0}, 0);
    expect_close(maximum(a, b), {NAN, NAN, NAN, 0}, 0);
  }
}

TEST(ElementwiseEdges, RemaindersAreExact) {
  const std::vector<float> a{1e30f, -1e30f, 5.5f, -5.5f, 1e-30f, 16777216.0f, 7.0f, INFINITY, 3.0f, 3.0f};
  const std::vector<float> b{3.7f, 3.7f, 2.0f, 2.0f, 1e30f, -0.3f, 7.0f, 2.0f, INFINITY, 0.0f};
  std::vector<double> want;
  for (size_t i = 0; i < a.size(); ++i) {
    const float r = std::fmod(a[i], b[i]);
    want.push_back(r != 0 && (r < 0) != (b[i] < 0) ? r + b[i] : r);
  }
  const Shape shape{static_cast<ShapeElem>(a.size())};
  expect_close(remainder(array(a.begin(), shape, float32), array(b.begin(), shape, float32)), want, 0);
}

TEST(ElementwiseEdges, FunctionsOfComplexNumbers) {
  struct Case {
    const char* name;
    array (*op)(const array&, StreamOrDevice);
    std::complex<double> (*reference)(std::complex<double>);
  };
#define PLIMSOLL_FUNCTION(name, function)                                                \
  Case {                                                                                 \
    #name, name, [](std::complex<double> z) -> std::complex<double> { return function; } \
  }
  const Case cases[] = {
      PLIMSOLL_FUNCTION(exp, std::exp(z)),       PLIMSOLL_FUNCTION(expm1, std::exp(z) - 1.0),
      PLIMSOLL_FUNCTION(log, std::log(z)),       PLIMSOLL_FUNCTION(log10, std::log10(z)),
      PLIMSOLL_FUNCTION(sqrt, std::sqrt(z)),     PLIMSOLL_FUNCTION(rsqrt, 1.0 / std::sqrt(z)),
      PLIMSOLL_FUNCTION(sin, std::sin(z)),       PLIMSOLL_FUNCTION(cos, std::cos(z)),
      PLIMSOLL_FUNCTION(tan, std::tan(z)),       PLIMSOLL_FUNCTION(arcsin, std::asin(z)),
      PLIMSOLL_FUNCTION(arccos, std::acos(z)),   PLIMSOLL_FUNCTION(arctan, std::atan(z)),
      PLIMSOLL_FUNCTION(sinh, std::sinh(z)),     PLIMSOLL_FUNCTION(cosh, std::cosh(z)),
      PLIMSOLL_FUNCTION(tanh, std::tanh(z)),     PLIMSOLL_FUNCTION(arcsinh, std::asinh(z)),
      PLIMSOLL_FUNCTION(arccosh, std::acosh(z)), PLIMSOLL_FUNCTION(arctanh, std::atanh(z)),
      PLIMSOLL_FUNCTION(square, z * z),          PLIMSOLL_FUNCTION(sigmoid, 1.0 / (1.0 + std::exp(-z))),
  };
#undef PLIMSOLL_FUNCTION
  std::vector<complex64_t> values;
  for (const float x : {-3.0f, -0.7f, -0.1f, 0.2f, 1.3f, 2.5f}) {
    for (const float y : {-2.0f, -0.6f, 0.3f, 1.1f, 4.0f}) values.emplace_back(x, y);
  }
  const auto n = static_cast<ShapeElem>(values.size());
  const array aligned(values.begin(), Shape{n}, complex64);
  for (const array& a : {aligned, offset_by(concatenate({zeros({1}, complex64), aligned}), 1, n)}) {
    for (const Case& c : cases) {
      array got = contiguous(c.op(a, {}));
      got.eval();
      for (size_t i = 0; i < values.size(); ++i) {
        const std::complex<double> want = c.reference(values[i]);
        const std::complex<double> value = got.data<complex64_t>()[i];
        EXPECT_LE(std::abs(value - want), 2e-6 * (1 + std::abs(want))) << c.name << values[i] << " is " << value;
      }
    }
  }
}

}  // namespace
}  // namespace plimsoll
