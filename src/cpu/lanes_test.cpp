// Conversions of the half types against the scalar ones, for every bit pattern, on every target.
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/lanes_test.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plimsoll::cpu {
namespace HWY_NAMESPACE {

template <typename From, typename To>
void convert(const From* from, To* to, int64_t count) {
  const hn::ScalableTag<float> d;
  for_vectors(d, count,
              [&](int64_t i, int64_t n) HWY_ATTR { store_part(d, load_part(d, from, i, n, From(1.0f)), to, i, n); });
}

void half_to_float(const float16_t* from, float* to, int64_t n) { convert(from, to, n); }
void bfloat_to_float(const bfloat16_t* from, float* to, int64_t n) { convert(from, to, n); }
void float_to_half(const float* from, float16_t* to, int64_t n) { convert(from, to, n); }
void float_to_bfloat(const float* from, bfloat16_t* to, int64_t n) { convert(from, to, n); }

}  // namespace HWY_NAMESPACE
}  // namespace plimsoll::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/target_test_util.h"

namespace plimsoll::cpu {
namespace {

HWY_EXPORT(half_to_float);
HWY_EXPORT(bfloat_to_float);
HWY_EXPORT(float_to_half);
HWY_EXPORT(float_to_bfloat);

template <typename T>
std::vector<T> every_pattern() {
  std::vector<T> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) values.push_back(T::from_bits(static_cast<uint16_t>(bits)));
  return values;
}

template <typename T, typename Widen>
void check_widening(Widen widen) {
  const auto values = every_pattern<T>();
  std::vector<float> got(values.size());
  widen(values.data(), got.data(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const float want = values[i];
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want)) << i;
    }
  }
}

// Values at and around every 16-bit value and every midpoint of two.
template <typename T>
std::vector<float> around_every_pattern() {
  std::vector<float> values;
  for (const T value : every_pattern<T>()) {
    const float x = value;
    if (!std::isfinite(x)) {
      values.push_back(x);
      continue;
    }
    const float middle = std::nextafter(x, 0.0f) == x ? x : x + (float(T::from_bits(uint16_t(value.bits + 1))) - x) / 2;
    for (const float y : {x, middle}) {
      for (const float z : {y, std::nextafter(y, 1e9f), std::nextafter(y, -1e9f)}) values.push_back(z);
    }
  }
  return values;
}

template <typename T, typename Narrow>
void check_narrowing(Narrow narrow) {
  const auto values = around_every_pattern<T>();
  std::vector<T> got(values.size());
  narrow(values.data(), got.data(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const T want(values[i]);
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(float(got[i]))) << i;
    } else {
      ASSERT_EQ(got[i].bits, want.bits) << std::hexfloat << values[i];
    }
  }
}

TEST(Lanes, Float16Widens) {
  for_each_target([] { check_widening<float16_t>([](auto... a) { HWY_DYNAMIC_DISPATCH(half_to_float)(a...); }); });
}

TEST(Lanes, Bfloat16Widens) {
  for_each_target([] { check_widening<bfloat16_t>([](auto... a) { HWY_DYNAMIC_DISPATCH(bfloat_to_float)(a...); }); });
}

TEST(Lanes, Float16RoundsToNearestEven) {
  for_each_target([] { check_narrowing<float16_t>([](auto... a) { HWY_DYNAMIC_DISPATCH(float_to_half)(a...); }); });
}

TEST(Lanes, Bfloat16RoundsToNearestEven) {
  for_each_target([] { check_narrowing<bfloat16_t>([](auto... a) { HWY_DYNAMIC_DISPATCH(float_to_bfloat)(a...); }); });
}

TEST(Lanes, PartsTouchNoOtherElements) {
  for_each_target([] {
    for (int64_t n = 1; n < 40; ++n) {
      std::vector<float> from(static_cast<size_t>(n));
      std::vector<bfloat16_t> to(static_cast<size_t>(n) + 1, bfloat16_t(7.0f));
      for (int64_t i = 0; i < n; ++i) from[static_cast<size_t>(i)] = static_cast<float>(i);
      HWY_DYNAMIC_DISPATCH(float_to_bfloat)(from.data(), to.data(), n);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(float(to[static_cast<size_t>(i)]), static_cast<float>(i));
      ASSERT_EQ(float(to.back()), 7.0f);
    }
  });
}

}  // namespace
}  // namespace plimsoll::cpu
#endif  // HWY_ONCE
