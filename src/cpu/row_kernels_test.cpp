// Row kernels and rope against float64, on every target and at every length up to a few vectors.
#include "cpu/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "cpu/rope_kernel.h"
#include "cpu/target_test_util.h"

namespace plimsoll::cpu {
namespace {

template <typename T>
std::vector<T> random_row(int64_t length, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, 2.0f);
  std::vector<T> row(static_cast<size_t>(length));
  for (T& x : row) x = T(normal(random));
  return row;
}

template <typename T>
const std::byte* bytes(const std::vector<T>& row) {
  return reinterpret_cast<const std::byte*>(row.data());
}

template <typename T>
std::byte* bytes(std::vector<T>& row) {
  return reinterpret_cast<std::byte*>(row.data());
}

// Of values up to about 8: sums in float32, then one rounding.
template <typename T>
double tolerance() {
  if (std::is_same_v<T, double>) return 1e-13;
  if (std::is_same_v<T, float>) return 4e-6;
  return std::is_same_v<T, float16_t> ? 0x1p-8 : 0x1p-5;
}

template <typename T>
void expect_row(const std::vector<T>& got, const std::vector<double>& want, const char* what) {
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(got[i]), want[i], tolerance<T>())
        << what << ", element " << i << " of " << want.size();
  }
}

template <typename T>
class RowKernels : public ::testing::Test {};
using Types = ::testing::Types<float, float16_t, bfloat16_t, double>;
TYPED_TEST_SUITE(RowKernels, Types);

TYPED_TEST(RowKernels, SoftmaxAndItsNormalizer) {
  using T = TypeParam;
  for (int64_t length = 1; length < 70; ++length) {
    const auto x = random_row<T>(length, 1);
    const double top = static_cast<double>(*std::max_element(x.begin(), x.end()));
    double total = 0;
    for (const T v : x) total += std::exp(static_cast<double>(v) - top);
    std::vector<double> want;
    for (const T v : x) want.push_back(std::exp(static_cast<double>(v) - top) / total);
    for_each_target([&] {
      std::vector<T> out(x.size()), normalizer(1);
      softmax_row(TypeToDtype<T>(), bytes(x), bytes(out), length);
      expect_row(out, want, "softmax");
      logsumexp_row(TypeToDtype<T>(), bytes(x), bytes(normalizer), length);
      expect_row(normalizer, {top + std::log(total)}, "logsumexp");
    });
  }
}

TYPED_TEST(RowKernels, Norms) {
  using T = TypeParam;
  for (int64_t length = 1; length < 70; ++length) {
    const auto x = random_row<T>(length, 2), weight = random_row<T>(length, 3), bias = random_row<T>(length, 4);
    double mean = 0, squares = 0, variance = 0;
    for (const T v : x) mean += static_cast<double>(v) / static_cast<double>(length);
    for (const T v : x) squares += std::pow(static_cast<double>(v), 2) / static_cast<double>(length);
    for (const T v : x) variance += std::pow(static_cast<double>(v) - mean, 2) / static_cast<double>(length);
    std::vector<double> rms, layer;
    for (size_t i = 0; i < x.size(); ++i) {
      const double v = static_cast<double>(x[i]), w = static_cast<double>(weight[i]);
      rms.push_back(v / std::sqrt(squares + 0.1) * w);
      layer.push_back((v - mean) / std::sqrt(variance + 0.1) * w + static_cast<double>(bias[i]));
    }
    for_each_target([&] {
      std::vector<T> out = x;
      rms_norm_row(TypeToDtype<T>(), bytes(out), bytes(weight), bytes(out), length, 0.1);
      expect_row(out, rms, "rms_norm");
      layer_norm_row(TypeToDtype<T>(), bytes(x), bytes(weight), bytes(bias), bytes(out), length, 0.1);
      expect_row(out, layer, "layer_norm");
    });
  }
}

TYPED_TEST(RowKernels, RopeTurnsPairsAndHalves) {
  using T = TypeParam;
  for (int dims = 2; dims <= 70; dims += 2) {
    const int64_t length = dims + 3;
    const auto x = random_row<T>(length, 5);
    std::vector<double> frequencies;
    for (int i = 0; i < dims / 2; ++i) frequencies.push_back(std::pow(10000.0, -2.0 * i / dims));
    for (const bool traditional : {false, true}) {
      std::vector<double> want(x.begin(), x.end());
      for (int i = 0; i < dims / 2; ++i) {
        const size_t a = static_cast<size_t>(traditional ? 2 * i : i),
                     b = static_cast<size_t>(traditional ? 2 * i + 1 : i + dims / 2);
        const double angle = 123 * frequencies[static_cast<size_t>(i)];
        want[a] = static_cast<double>(x[a]) * std::cos(angle) - static_cast<double>(x[b]) * std::sin(angle);
        want[b] = static_cast<double>(x[b]) * std::cos(angle) + static_cast<double>(x[a]) * std::sin(angle);
      }
      for_each_target([&] {
        std::vector<double> cosines(static_cast<size_t>(dims)), sines(static_cast<size_t>(dims));
        const RopeTable table{bytes(cosines), bytes(sines)};
        std::vector<T> out(x.size());
        rope_table(TypeToDtype<T>(), frequencies.data(), 123, dims, traditional, false, table);
        rope_row(TypeToDtype<T>(), bytes(x), bytes(out), length, dims, traditional, table);
        expect_row(out, want, "rope");
        rope_table(TypeToDtype<T>(), frequencies.data(), 123, dims, traditional, true, table);
        rope_row(TypeToDtype<T>(), bytes(out), bytes(out), length, dims, traditional, table);
        expect_row(out, std::vector<double>(x.begin(), x.end()), "rope and back");
      });
    }
  }
}

}  // namespace
}  // namespace plimsoll::cpu
