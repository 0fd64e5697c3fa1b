// Worst errors of the SIMD transcendental functions against the C library in extended precision, on every target.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/math_test.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {

#define PLIMSOLL_MATH_ARRAY(name)                                                   \
  template <typename T>                                                             \
  void name##_values(const T* x, T* y, size_t count) {                              \
    const hn::ScalableTag<T> d;                                                     \
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {                              \
      hn::StoreU(name(d, hn::LoadU(d, x + i)), d, y + i);                           \
    }                                                                               \
  }                                                                                 \
  void name##_float(const float* x, float* y, size_t n) { name##_values(x, y, n); } \
  void name##_double(const double* x, double* y, size_t n) { name##_values(x, y, n); }

PLIMSOLL_MATH_ARRAY(exp)
PLIMSOLL_MATH_ARRAY(expm1)
PLIMSOLL_MATH_ARRAY(log)
PLIMSOLL_MATH_ARRAY(log1p)
PLIMSOLL_MATH_ARRAY(tanh)
PLIMSOLL_MATH_ARRAY(sigmoid)
PLIMSOLL_MATH_ARRAY(erf)
PLIMSOLL_MATH_ARRAY(erfinv)
PLIMSOLL_MATH_ARRAY(sin)
PLIMSOLL_MATH_ARRAY(cos)
#undef PLIMSOLL_MATH_ARRAY

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/target_test_util.h"

namespace plimsoll::cpu {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr size_t kPad = 64;

// Every exponent with both signs, zeros, infinities, NaN and denormals: `per_exponent` significands each.
std::vector<float> all_ranges(int per_exponent) {
  std::mt19937 random(1234);
  std::vector<float> values = {0.0f, -0.0f, kInf, -kInf, kNan, 1.0f, -1.0f};
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (int i = 0; i < per_exponent; ++i) {
      const uint32_t significand = i == 0 ? 0u : i == 1 ? 0x7fffffu : (random() & 0x7fffffu);
      for (const uint32_t sign : {0u, 0x80000000u}) {
        values.push_back(std::bit_cast<float>(sign | (exponent << 23) | significand));
      }
    }
  }
  values.resize((values.size() + kPad - 1) / kPad * kPad, 1.0f);
  return values;
}

// Evenly spread values of [low, high].
std::vector<float> between(double low, double high, size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(low + (high - low) * (double(i) + 0.37) / double(count));
  return values;
}

double ulp_error(float got, long double want) {
  const auto rounded = static_cast<float>(want);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  if (want == 0) return got == 0 && std::signbit(got) == std::signbit(rounded) ? 0 : 1e9;
  const int exponent = std::max(std::ilogb(want), -126);
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / std::ldexp(1.0L, exponent - 23));
}

using Apply = void (*)(const float*, float*, size_t);

template <typename Reference>
void check(const std::string& name, Apply apply, Reference reference, double limit, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  apply(x.data(), y.data(), x.size());
  size_t worst = 0;
  double worst_error = -1;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulp_error(y[i], reference(static_cast<long double>(x[i])));
    if (error > worst_error) worst_error = error, worst = i;
  }
  EXPECT_LE(worst_error, limit) << name << '(' << std::hexfloat << x[worst] << ") = " << y[worst] << ", want "
                                << static_cast<float>(reference(static_cast<long double>(x[worst])));
}

// Exported once; checks all exponents, then a dense set of [low, high].
#define PLIMSOLL_MATH_TEST(name, reference, limit, low, high)                                                      \
  HWY_EXPORT(name##_float);                                                                                        \
  TEST(Math, name##_in_float32) {                                                                                  \
    const auto ranges = all_ranges(128);                                                                           \
    const auto dense = between(low, high, 1 << 17);                                                                \
    for_each_target([&] {                                                                                          \
      const Apply apply = [](const float* x, float* y, size_t n) { HWY_DYNAMIC_DISPATCH(name##_float)(x, y, n); }; \
      check(#name, apply, reference, limit, ranges);                                                               \
      check(#name, apply, reference, limit, dense);                                                                \
    });                                                                                                            \
  }

long double sigmoid_reference(long double x) { return 1 / (1 + std::exp(-x)); }
long double erfinv_reference(long double x) { return math::erfinv(static_cast<double>(x)); }

PLIMSOLL_MATH_TEST(exp, [](long double x) { return std::exp(x); }, 1.0, -104, 89)
PLIMSOLL_MATH_TEST(expm1, [](long double x) { return std::expm1(x); }, 1.5, -5, 5)
PLIMSOLL_MATH_TEST(log, [](long double x) { return std::log(x); }, 0.9, 0.4, 4)
PLIMSOLL_MATH_TEST(log1p, [](long double x) { return std::log1p(x); }, 0.9, -0.999, 4)
PLIMSOLL_MATH_TEST(tanh, [](long double x) { return std::tanh(x); }, 1.4, -10, 10)
PLIMSOLL_MATH_TEST(sigmoid, sigmoid_reference, 2.4, -20, 20)
PLIMSOLL_MATH_TEST(erf, [](long double x) { return std::erf(x); }, 1.3, -4.5, 4.5)
PLIMSOLL_MATH_TEST(erfinv, erfinv_reference, 2.7, -1, 1)
PLIMSOLL_MATH_TEST(sin, [](long double x) { return std::sin(x); }, 1.6, -10000, 10000)
PLIMSOLL_MATH_TEST(cos, [](long double x) { return std::cos(x); }, 1.6, -10000, 10000)

TEST(Math, ErfinvInvertsErfInFloat64) {
  for (const double x : {1e-30, 1e-9, 0.1, 0.4999, 0.5001, 0.9, 0.999999, 1 - 1e-12, 1 - 0x1p-53}) {
    const double y = math::erfinv(x);
    const double error = x < 0.5 ? (std::erf(y) - x) / x : (std::erfc(y) - (1 - x)) / (1 - x);
    // erfc amplifies a relative error of y by 2 y^2.
    EXPECT_LE(std::abs(error), 4e-16 * (4 + 4 * y * y)) << x;
    EXPECT_EQ(math::erfinv(-x), -y);
  }
  EXPECT_EQ(math::erfinv(1), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(math::erfinv(1.5)));
}

HWY_EXPORT(exp_double);

TEST(Math, Float64IsTheCLibrarys) {
  for_each_target([] {
    std::vector<double> x(kPad), y(kPad);
    for (size_t i = 0; i < kPad; ++i) x[i] = double(i) * 7.3 - 200;
    HWY_DYNAMIC_DISPATCH(exp_double)(x.data(), y.data(), kPad);
    for (size_t i = 0; i < kPad; ++i) EXPECT_EQ(y[i], std::exp(x[i]));
  });
}

}  // namespace
}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
