// Element-by-element operations, conversions and choices against float64.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

struct UnaryCase {
  const char* name;
  array (*op)(const array&, StreamOrDevice);
  double (*reference)(double);
  double low;  // the interval of arguments
  double high;
};

#define PLIMSOLL_STD_CASE(name, function, low, high)                               \
  UnaryCase {                                                                      \
    #name, name, [](double x) { return static_cast<double>(function); }, low, high \
  }
const UnaryCase kFunctions[] = {
    PLIMSOLL_STD_CASE(exp, std::exp(x), -10, 10),         PLIMSOLL_STD_CASE(expm1, std::expm1(x), -5, 5),
    PLIMSOLL_STD_CASE(log, std::log(x), 1e-3, 100),       PLIMSOLL_STD_CASE(log2, std::log2(x), 1e-3, 100),
    PLIMSOLL_STD_CASE(log10, std::log10(x), 1e-3, 100),   PLIMSOLL_STD_CASE(log1p, std::log1p(x), -0.9, 100),
    PLIMSOLL_STD_CASE(sin, std::sin(x), -20, 20),         PLIMSOLL_STD_CASE(cos, std::cos(x), -20, 20),
    PLIMSOLL_STD_CASE(tan, std::tan(x), -1.4, 1.4),       PLIMSOLL_STD_CASE(arcsin, std::asin(x), -0.98, 0.98),
    PLIMSOLL_STD_CASE(arccos, std::acos(x), -0.98, 0.98), PLIMSOLL_STD_CASE(arctan, std::atan(x), -9, 9),
    PLIMSOLL_STD_CASE(sinh, std::sinh(x), -5, 5),         PLIMSOLL_STD_CASE(cosh, std::cosh(x), -5, 5),
    PLIMSOLL_STD_CASE(tanh, std::tanh(x), -5, 5),         PLIMSOLL_STD_CASE(arcsinh, std::asinh(x), -9, 9),
    PLIMSOLL_STD_CASE(arccosh, std::acosh(x), 1.05, 9),   PLIMSOLL_STD_CASE(arctanh, std::atanh(x), -0.95, 0.95),
    PLIMSOLL_STD_CASE(erf, std::erf(x), -3, 3),           PLIMSOLL_STD_CASE(sigmoid, 1 / (1 + std::exp(-x)), -9, 9),
    PLIMSOLL_STD_CASE(sqrt, std::sqrt(x), 0.01, 50),      PLIMSOLL_STD_CASE(rsqrt, 1 / std::sqrt(x), 0.01, 50),
    PLIMSOLL_STD_CASE(reciprocal, 1 / x, 0.1, 50),        PLIMSOLL_STD_CASE(square, x* x, -9, 9),
    PLIMSOLL_STD_CASE(abs, std::abs(x), -9, 9),           PLIMSOLL_STD_CASE(negative, -x, -9, 9),
    PLIMSOLL_STD_CASE(degrees, x * 180 / M_PI, -9, 9),    PLIMSOLL_STD_CASE(radians, x* M_PI / 180, -9, 9),
};
const UnaryCase kSteps[] = {
    PLIMSOLL_STD_CASE(floor, std::floor(x), -9, 9),
    PLIMSOLL_STD_CASE(ceil, std::ceil(x), -9, 9),
    PLIMSOLL_STD_CASE(round, std::nearbyint(x), -9, 9),
    PLIMSOLL_STD_CASE(sign, static_cast<double>((x > 0) - (x < 0)), -9, 9),
    PLIMSOLL_STD_CASE(isnan, std::isnan(x), -9, 9),
};
#undef PLIMSOLL_STD_CASE

array between(double low, double high, const Shape& shape, Dtype dtype, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> values(element_count_of(shape));
  for (double& value : values) value = uniform(random);
  return array(values.begin(), shape, dtype);
}

std::vector<double> mapped(const array& a, double (*f)(double)) {
  std::vector<double> values = doubles(a);
  for (double& value : values) value = f(value);
  return values;
}

// Float functions are good to a few ulp of the dtype they compute in.
double tolerance(Dtype dtype) { return 2 * epsilon(dtype) + (dtype == float64 ? 1e-14 : 6e-7); }

TEST(Elementwise, FunctionsOfFloats) {
  for (const Dtype dtype : kFloatDtypes) {
    for (const UnaryCase& c : kFunctions) {
      for (const Shape& shape : {Shape{1}, Shape{7}, Shape{5, 33}, Shape{2, 3, 1100}}) {
        const array a = between(c.low, c.high, shape, dtype, 1);
        const std::vector<double> want = mapped(a, c.reference);
        for (const array& x : all_layouts_of(a)) expect_close(c.op(x, {}), want, tolerance(dtype), c.name);
      }
    }
    for (const UnaryCase& c : kSteps) {
      const array a = between(c.low, c.high, {5, 33}, dtype, 2);
      for (const array& x : all_layouts_of(a)) expect_close(c.op(x, {}), mapped(a, c.reference), 0, c.name);
    }
  }
}

TEST(Elementwise, FunctionsOfIntegersAreFloat32) {
  for (const Dtype dtype : {bool_, uint8, int16, int32, uint64}) {
    const array a = any_array({40}, dtype, 3);
    EXPECT_EQ(exp(a).dtype(), float32);
    expect_close(exp(a), mapped(a, [](double x) { return std::exp(x); }), 1e-6);
    expect_close(sqrt(abs(a)), mapped(a, [](double x) { return std::sqrt(std::abs(x)); }), 1e-6);
  }
}

TEST(Elementwise, IntegersKeepTheirDtype) {
  for (const Dtype dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
    const array a = any_array({3, 41}, dtype, 4);
    for (const UnaryCase& c : {UnaryCase{"abs", abs, [](double x) { return std::abs(x); }, 0, 0},
                               UnaryCase{"square", square, [](double x) { return x * x; }, 0, 0},
                               UnaryCase{"floor", floor, [](double x) { return x; }, 0, 0},
                               UnaryCase{"sign", sign, [](double x) { return double((x > 0) - (x < 0)); }, 0, 0}}) {
      EXPECT_EQ(c.op(a, {}).dtype(), dtype) << c.name;
      for (const array& x : all_layouts_of(a)) expect_close(c.op(x, {}), mapped(a, c.reference), 0, c.name);
    }
    EXPECT_EQ(negative(array(1, dtype)).dtype(), dtype);
  }
  EXPECT_EQ(negative(array(INT32_MIN)).item<int>(), INT32_MIN);
  EXPECT_EQ(abs(array(int8_t(-128))).item<int>(), -128);
}

TEST(Elementwise, ErfinvInvertsErf) {
  const array x = between(-3, 3, {500}, float64, 5);
  expect_close(erfinv(erf(x)), doubles(x), 1e-9);
  const array y = between(-0.999, 0.999, {500}, float32, 6);
  expect_close(erf(erfinv(y)), doubles(y), 1e-6);
  expect_close(erfinv(array({1.0f, -1.0f, 0.0f, 2.0f})), {INFINITY, -INFINITY, 0, NAN}, 0);
}

TEST(Elementwise, SpecialNumbers) {
  for (const Dtype dtype : kFloatDtypes) {
    const array a = astype(array({kNaN, kInf, -kInf, 0.0f, -0.0f, 1.0f}), dtype);
    expect_close(exp(a), {NAN, INFINITY, 0, 1, 1, std::exp(1.0)}, 2e-2);
    expect_close(log(a), {NAN, INFINITY, NAN, -INFINITY, -INFINITY, 0}, 0);
    expect_close(sqrt(a), {NAN, INFINITY, NAN, 0, 0, 1}, 0);
    expect_close(tanh(a), {NAN, 1, -1, 0, 0, std::tanh(1.0)}, 1e-2);
    expect_close(sigmoid(a), {NAN, 1, 0, 0.5, 0.5, 1 / (1 + std::exp(-1))}, 1e-2);
    expect_close(isnan(a), {1, 0, 0, 0, 0, 0}, 0);
    expect_close(isinf(a), {0, 1, 1, 0, 0, 0}, 0);
    expect_close(isposinf(a), {0, 1, 0, 0, 0, 0}, 0);
    expect_close(isneginf(a), {0, 0, 1, 0, 0, 0}, 0);
    expect_close(isfinite(a), {0, 0, 0, 1, 1, 1}, 0);
    expect_close(sign(a), {NAN, 1, -1, 0, 0, 1}, 0);
    expect_close(maximum(a, zeros_like(a)), {NAN, INFINITY, 0, 0, 0, 1}, 0);
    expect_close(minimum(zeros_like(a), a), {NAN, 0, -INFINITY, 0, 0, 0}, 0);
  }
}

TEST(Elementwise, RoundingGoesToEvenAndToDecimals) {
  expect_close(round(array({0.5f, 1.5f, 2.5f, -0.5f, -1.5f})), {0, 2, 2, 0, -2}, 0);
  expect_close(round(array({1.234f, -5.678f}), 1), {1.2, -5.7}, 1e-6);
  expect_close(round(array({1234, 5678}), -2), {1200, 5700}, 0);
  expect_close(round(array({1234, 5678}), 2), {1234, 5678}, 0);
}

struct BinaryCase {
  const char* name;
  array (*op)(const array&, const array&, StreamOrDevice);
  double (*reference)(double, double);
};

std::vector<double> zipped(const array& a, const array& b, double (*f)(double, double)) {
  std::vector<double> x = doubles(a);
  const std::vector<double> y = doubles(b);
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
  return x;
}

double log_add_exp(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }
double modulo(double a, double b) { return a - b * std::floor(a / b); }

const BinaryCase kExact[] = {{"maximum", maximum, [](double a, double b) { return std::max(a, b); }},
                             {"minimum", minimum, [](double a, double b) { return std::min(a, b); }},
                             {"equal", equal, [](double a, double b) { return double(a == b); }},
                             {"not_equal", not_equal, [](double a, double b) { return double(a != b); }},
                             {"greater", greater, [](double a, double b) { return double(a > b); }},
                             {"greater_equal", greater_equal, [](double a, double b) { return double(a >= b); }},
                             {"less", less, [](double a, double b) { return double(a < b); }},
                             {"less_equal", less_equal, [](double a, double b) { return double(a <= b); }},
                             {"logical_and", logical_and, [](double a, double b) { return double(a != 0 && b != 0); }},
                             {"logical_or", logical_or, [](double a, double b) { return double(a != 0 || b != 0); }}};
const BinaryCase kArithmetic[] = {{"add", add, [](double a, double b) { return a + b; }},
                                  {"subtract", subtract, [](double a, double b) { return a - b; }},
                                  {"multiply", multiply, [](double a, double b) { return a * b; }}};

// The operands of a pair in the layouts that differ, and one broadcast.
template <typename F>
void for_each_pair(const array& a, const array& b, F f) {
  const std::vector<array> left = all_layouts_of(a), right = all_layouts_of(b);
  for (size_t i = 0; i < left.size(); ++i) {
    f(left[i], right[(i * 2 + 1) % right.size()]);
    f(left[i], right[i]);
  }
}

TEST(Elementwise, PairsOfEveryDtype) {
  for (const Dtype dtype : kRealDtypes) {
    const array a = any_array({4, 3, 37}, dtype, 1), b = any_array({4, 3, 37}, dtype, 2);
    for_each_pair(a, b, [&](const array& x, const array& y) {
      for (const BinaryCase& c : kExact) {
        expect_close(c.op(x, y, {}), zipped(a, b, c.reference), 0, std::string(c.name) + std::string(name_of(dtype)));
      }
    });
    if (dtype == bool_) continue;
    const bool is_unsigned = issubdtype(dtype, unsignedinteger);
    for_each_pair(a, b, [&](const array& x, const array& y) {
      for (const BinaryCase& c : kArithmetic) {
        if (is_unsigned && std::string(c.name) == "subtract") continue;
        const double bound = is_float(dtype) ? epsilon(dtype) : 0;
        expect_close(c.op(x, y, {}), zipped(a, b, c.reference), 2 * bound, c.name);
      }
    });
  }
}

TEST(Elementwise, PairsOfFloats) {
  const BinaryCase cases[] = {{"divide", divide, [](double a, double b) { return a / b; }},
                              {"logaddexp", logaddexp, log_add_exp},
                              {"arctan2", arctan2, [](double a, double b) { return std::atan2(a, b); }},
                              {"power", power, [](double a, double b) { return std::pow(a, b); }},
                              {"remainder", remainder, modulo},
                              {"floor_divide", floor_divide, [](double a, double b) { return std::floor(a / b); }}};
  for (const Dtype dtype : kFloatDtypes) {
    const array a = between(0.1, 4, {3, 211}, dtype, 1), b = between(0.5, 3, {3, 211}, dtype, 2);
    for_each_pair(a, b, [&](const array& x, const array& y) {
      for (const BinaryCase& c : cases)
        expect_close(c.op(x, y, {}), zipped(a, b, c.reference), 2 * tolerance(dtype), c.name);
    });
  }
}

TEST(Elementwise, IntegerDivisionNeverTraps) {
  const array a({7, -7, 7, -7, 5, INT32_MIN}), b({2, 2, -2, -2, 0, -1});
  expect_close(remainder(a, b), {1, 1, -1, -1, 0, 0}, 0);
  expect_close(slice(floor_divide(a, b), {0}, {5}), {3, -4, -4, 3, 0}, 0);
  eval(floor_divide(a, b), floor_divide(array(INT64_MIN), array(int64_t(-1))));
  EXPECT_EQ(divide(array(1), array(2)).item<float>(), 0.5f);
  EXPECT_EQ(divide(array(1), array(2)).dtype(), float32);
  expect_close(power(array({2, 3, -2}), array({10, 4, 3})), {1024, 81, -8}, 0);
}

TEST(Elementwise, Bits) {
  const array a = array({12, 10, -1}), b = array({10, 3, 7});
  expect_close(a & b, {8, 2, 7}, 0);
  expect_close(a | b, {14, 11, -1}, 0);
  expect_close(a ^ b, {6, 9, -8}, 0);
  expect_close(array({1, 3}) << array({4, 2}), {16, 12}, 0);
  expect_close(array({16, 12}) >> array({4, 2}), {1, 3}, 0);
  expect_close(~array({0, 5}), {-1, -6}, 0);
  expect_close(~array({true, false}), {0, 1}, 0);
  eval(array({1, 3}) << array({40, -1}));  // unspecified, but no trap
}

TEST(Elementwise, PromotesAndBroadcasts) {
  EXPECT_EQ(add(array(1), array(1.0f, float16)).dtype(), float16);
  EXPECT_EQ(add(array(1.0f, float16), array(1.0f, bfloat16)).dtype(), float32);
  EXPECT_EQ(add(array(true), array(uint8_t(1))).dtype(), uint8);
  EXPECT_EQ(maximum(array(1.0f, float16), array(3.1f, float16)).dtype(), float16);
  EXPECT_EQ(add(array(257, int32), array(0.0f, bfloat16)).item<float>(), 256.0f);
  const array column = reshape(arange(4), {4, 1}), row = arange(3);
  expect_close(add(column, row), {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5}, 0);
  EXPECT_EQ(add(ones({3, 1, 2}), ones({4, 1})).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(add(ones({0, 3}), ones({1, 3})).shape(), (Shape{0, 3}));
  expect_close(2 * arange(3) + 1, {1, 3, 5}, 0);
}

TEST(Elementwise, Complex) {
  const complex64_t u(1, 2), v(-3, 0.5);
  const array a(u), b(v);
  const auto near = [](const array& got, complex64_t want) {
    EXPECT_LT(std::abs(got.item<complex64_t>() - want), 1e-5 * (1 + std::abs(want)));
  };
  near(a * b, u * v);
  near(a / b, u / v);
  near(exp(a), std::exp(u));
  near(sqrt(b), std::sqrt(v));
  near(conjugate(a), std::conj(u));
  EXPECT_FLOAT_EQ(abs(a).item<float>(), std::sqrt(5.0f));
  EXPECT_EQ(real(a).item<float>(), 1.0f);
  EXPECT_EQ(imag(a).item<float>(), 2.0f);
  EXPECT_EQ(refusal([&] { floor(a); }), "[floor] is not defined for complex64");
}

TEST(Elementwise, ConversionsOfEveryPair) {
  for (const Dtype from : kRealDtypes) {
    const array a = abs(any_array({5, 41}, from == bool_ ? uint8 : from, 1));
    for (const Dtype to : kRealDtypes) {
      std::vector<double> want = doubles(astype(a, from));
      for (double& value : want) {
        if (to == bool_)
          value = value != 0;
        else if (!is_float(to))
          value = std::trunc(value);
      }
      for (const array& x : all_layouts_of(astype(a, from))) {
        const array converted = astype(x, to);
        EXPECT_EQ(converted.dtype(), to);
        expect_close(converted, want, is_float(to) ? epsilon(to) : 0,
                     std::string(name_of(from)) + " to " + std::string(name_of(to)));
      }
    }
  }
  EXPECT_EQ(astype(array(complex64_t(2, 3)), float32).item<float>(), 2.0f);
  eval(astype(array({kNaN, kInf, 1e30f, -1e30f}), int32), astype(array({kNaN, 300.0f}), uint8));
}

TEST(Elementwise, HalfRoundsToEven) {
  // 2049 and 2051 lie halfway between float16 neighbours; 65520 rounds to infinity.
  expect_close(astype(array({2049.0f, 2051.0f, 65519.0f, 65520.0f, 0x1p-25f, 0x1.8p-24f}), float16),
               {2048, 2052, 65504, INFINITY, 0, 0x1p-23}, 0);
  expect_close(astype(array({257.0f, 259.0f}), bfloat16), {256, 260}, 0);
}

TEST(Elementwise, ReplacesWhatIsNotANumber) {
  for (const auto& [dtype, largest] : {std::pair{float16, 65504.0}, {bfloat16, 3.3895313892515355e38}}) {
    const array a = astype(array({kNaN, kInf, -kInf, 1.5f}), dtype);
    expect_close(nan_to_num(a), {0, largest, -largest, 1.5}, 0);
  }
  expect_close(nan_to_num(array({kNaN, kInf, -kInf}), 7.0f, 8.0f, 9.0f), {7, 8, 9}, 0);
}

TEST(Elementwise, WhereAndClip) {
  for (const Dtype dtype : kRealDtypes) {
    const array condition = any_array({4, 51}, bool_, 1);
    const array x = any_array({4, 51}, dtype, 2), y = any_array({4, 51}, dtype, 3);
    std::vector<double> want = doubles(x);
    const std::vector<double> other = doubles(y), chosen = doubles(condition);
    for (size_t i = 0; i < want.size(); ++i) want[i] = chosen[i] != 0 ? want[i] : other[i];
    const std::vector<array> conditions = all_layouts_of(condition), ys = all_layouts_of(y);
    for (size_t i = 0; i < ys.size(); ++i) expect_close(where(conditions[i], x, ys[i]), want, 0, "where");
  }
  expect_close(where(array({true, false}), array(kNaN), array({1.0f, 2.0f})), {NAN, 2}, 0);
  expect_close(clip(array({-2, 0, 9}), array(-1), array(4)), {-1, 0, 4}, 0);
  expect_close(clip(array({-2.0f, 9.0f}), std::nullopt, array(4.0f)), {-2, 4}, 0);
}

TEST(Elementwise, Closeness) {
  const array a({1.0f, kInf, kNaN}), b({1.0f + 1e-6f, kInf, kNaN});
  expect_close(isclose(a, b), {1, 1, 0}, 0);
  EXPECT_TRUE(allclose(a, b, 1e-5, 1e-8, true).item<bool>());
  EXPECT_FALSE(array_equal(a, a).item<bool>());
  EXPECT_TRUE(array_equal(a, a, true).item<bool>());
  EXPECT_FALSE(array_equal(ones({2}), ones({3})).item<bool>());
}

TEST(Elementwise, NothingAtAll) {
  for (const Dtype dtype : kRealDtypes) {
    EXPECT_EQ(add(zeros({3, 0}, dtype), zeros({1}, dtype)).shape(), (Shape{3, 0}));
    EXPECT_EQ(exp(zeros({0}, dtype)).size(), 0u);
    EXPECT_EQ(astype(zeros({0, 2}, dtype), float32).size(), 0u);
    EXPECT_EQ(where(zeros({0}, bool_), array(1, dtype), array(2, dtype)).size(), 0u);
  }
}

TEST(Elementwise, CreationRanges) {
  expect_close(arange(5), {0, 1, 2, 3, 4}, 0);
  expect_close(arange(1.0, 2.0, 0.25), {1, 1.25, 1.5, 1.75}, 0);
  expect_close(arange(3, -3, -2), {3, 1, -1}, 0);
  EXPECT_EQ(arange(3, 1).size(), 0u);
  expect_close(linspace(0, 1, 5), {0, 0.25, 0.5, 0.75, 1}, 0);
  for (int n = 2; n < 200; ++n) EXPECT_EQ(doubles(linspace(-1, 0.7, n)).back(), 0.7f) << n;
  expect_close(linspace(0, 0.3, 4, float64), {0, 0.1, 0.2, 0.3}, 1e-15);
  expect_close(eye(2, 3, 1, float32), {0, 1, 0, 0, 0, 1}, 0);
  expect_close(tri(2, 3, 0, int32), {1, 0, 0, 1, 1, 0}, 0);
  expect_close(tril(reshape(arange(4), {2, 2})), {0, 0, 2, 3}, 0);
  expect_close(triu(reshape(arange(4), {2, 2}), 1), {0, 1, 0, 0}, 0);
  expect_close(full({2, 2}, array({1, 2})), {1, 2, 1, 2}, 0);
}

TEST(Elementwise, Errors) {
  EXPECT_EQ(refusal([] { add(ones({2}), ones({3})); }), "[broadcast_shapes] shapes (2) and (3) do not broadcast");
  EXPECT_EQ(refusal([] { bitwise_and(ones({2}), ones({2})); }), "[bitwise_and] needs integers or bool; got float32");
  EXPECT_EQ(refusal([] { bitwise_invert(ones({2})); }), "[bitwise_invert] needs integers or bool; got float32");
  EXPECT_EQ(refusal([] { negative(array(true)); }), "[negative] is not defined for bool; use logical_not");
  EXPECT_EQ(refusal([] { erf(array(complex64_t(1, 1))); }), "[erf] is not defined for complex64");
  EXPECT_NE(refusal([] { arange(0.0, 1.0, 0.0); }), "");
  EXPECT_NE(refusal([] { linspace(0, 1, -1); }), "");
}

TEST(Elementwise, GradientsOfFunctions) {
  for (const UnaryCase& c : kFunctions) {
    const array a = between(c.low, c.high, {3, 5}, float64, 7);
    expect_gradients([&](const std::vector<array>& x) { return c.op(x[0], {}); }, {a}, 2e-6);
  }
  expect_gradients([](const std::vector<array>& x) { return erfinv(x[0]); }, {between(-0.9, 0.9, {9}, float64, 1)},
                   1e-5);
  for (const UnaryCase& c : kSteps) {
    if (c.op == static_cast<array (*)(const array&, StreamOrDevice)>(isnan)) continue;
    expect_gradients([&](const std::vector<array>& x) { return c.op(x[0], {}); }, {between(0.1, 0.4, {9}, float64, 1)});
  }
}

TEST(Elementwise, GradientsOfPairs) {
  const array a = between(0.5, 3, {4, 5}, float64, 1), b = between(0.6, 2, {4, 5}, float64, 2);
  const array row = between(0.6, 2, {5}, float64, 3);
  for (const auto op : {static_cast<array (*)(const array&, const array&, StreamOrDevice)>(add), subtract, multiply,
                        divide, power, maximum, minimum, logaddexp, arctan2}) {
    for (const array& right : {b, row}) {
      expect_gradients([op](const std::vector<array>& x) { return op(x[0], x[1], {}); }, {a, right}, 1e-5);
      expect_gradients([op](const std::vector<array>& x) { return op(x[1], x[0], {}); }, {a, right}, 1e-5);
    }
  }
  expect_gradients([&](const std::vector<array>& x) { return where(greater(b, array(1.2)), x[0], x[1]); }, {a, row});
  expect_gradients([&](const std::vector<array>& x) { return remainder(x[0], x[1]); }, {a, b}, 1e-5);
}

TEST(Elementwise, UnchosenSidesLeaveNoNaN) {
  const auto safe_root = [](const array& x) {
    const array positive = greater(x, array(0.0f));
    return sum(where(positive, sqrt(where(positive, x, ones_like(x))), zeros_like(x)));
  };
  expect_close(grad(safe_root)(array({0.0f, 4.0f, -1.0f})), {0, 0.25, 0}, 1e-7);
  const auto softplus = [](const array& x) { return sum(logaddexp(x, zeros_like(x))); };
  expect_close(grad(softplus)(array({0.0f})), {0.5}, 1e-7);
  const auto powers = [](const array& x) { return sum(power(x, array(0.0f))); };
  expect_close(grad(powers)(array({0.0f, 2.0f})), {0, 0}, 0);
}

}  // namespace
}  // namespace plimsoll
