#include "cpu/quantized/block.h"

#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cpu/quantized/formats.h"
#include "cpu/quantized/weights.h"
#include "cpu/target_test_util.h"
#include "cpu/weight_rows.h"
#include "gtest/gtest.h"

namespace plimsoll::cpu::quantized {
namespace {

constexpr BlockFormat kFormats[] = {BlockFormat::Q4_0, BlockFormat::Q4_1, BlockFormat::Q5_0, BlockFormat::Q5_1,
                                    BlockFormat::Q8_0, BlockFormat::Q4_K, BlockFormat::Q5_K, BlockFormat::Q6_K};

std::vector<char> golden(BlockFormat format, const char* ending) {
  std::string name(block_format_name(format));
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  std::ifstream file(std::string(PLIMSOLL_TESTS_DIR) + "/golden/quantized/" + name + ending, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Rows of golden blocks, as many as fit: every row differs.
struct Weights {
  std::vector<uint8_t> bytes;
  BlockMatrix matrix;

  Weights(BlockFormat format, int64_t rows, int64_t values, uint32_t seed) {
    const BlockLayout layout = block_layout(format);
    const int64_t row_bytes = values / layout.values * layout.bytes;
    const std::vector<char> blocks = golden(format, ".blocks");
    const int64_t count = static_cast<int64_t>(blocks.size()) / layout.bytes;
    std::mt19937 random(seed);
    for (int64_t i = 0; i < rows * values / layout.values; ++i) {
      const auto from = blocks.begin() + (6 + random() % (count - 6)) * layout.bytes;  // after the special scales
      bytes.insert(bytes.end(), from, from + layout.bytes);
    }
    matrix = {bytes.data(), format, rows, values, row_bytes};
  }
};

TEST(BlockFormats, WidenedValuesAreThoseOfTheFormatBitForBit) {
  for_each_target([] {
    for (const BlockFormat format : kFormats) {
      SCOPED_TRACE(block_format_name(format));
      const std::vector<char> blocks = golden(format, ".blocks"), values = golden(format, ".values");
      ASSERT_FALSE(blocks.empty());
      const int64_t count = static_cast<int64_t>(values.size() / sizeof(float));
      std::vector<float> widened(count, std::numeric_limits<float>::quiet_NaN());
      const BlockMatrix w{reinterpret_cast<const uint8_t*>(blocks.data()), format, 1, count,
                          static_cast<int64_t>(blocks.size())};
      widen_blocks(w, 0, 1, widened.data(), count);
      EXPECT_EQ(0, std::memcmp(widened.data(), values.data(), values.size()));
    }
  });
}

// Products against float64 sums over the widened weights. Tolerance: float32 sums of K terms, each rounded twice.
void check_product(const Weights& w, int64_t M, Dtype x_dtype) {
  const int64_t N = w.matrix.rows, K = w.matrix.values;
  std::mt19937 random(static_cast<uint32_t>(7 * M + N));
  std::normal_distribution<float> normal;
  std::vector<float> x(M * K), widened(N * K), y(M * N, std::numeric_limits<float>::quiet_NaN());
  for (float& value : x) value = static_cast<float>(bfloat16_t(normal(random)));
  std::vector<bfloat16_t> narrow(x.begin(), x.end());
  widen_blocks(w.matrix, 0, N, widened.data(), K);
  const bool wide = x_dtype == float32;
  const MatrixView view{wide ? static_cast<const void*>(x.data()) : narrow.data(), x_dtype, K, 1};
  std::vector<std::byte> scratch(weight_product_scratch_bytes(M, N, K) + 64);
  void* aligned = scratch.data();
  size_t room = scratch.size();
  multiply_weights(BlockWeightRows(w.matrix), {M, view, y.data(), float32, N},
                   std::align(64, room - 63, aligned, room));
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n) {
      double sum = 0, size = 0;
      for (int64_t k = 0; k < K; ++k) {
        const double term = static_cast<double>(x[m * K + k]) * widened[n * K + k];
        sum += term;
        size += std::abs(term);
      }
      const double tolerance = size * std::sqrt(static_cast<double>(K)) * 0x1p-23 + 1e-30;
      ASSERT_NEAR(y[m * N + n], sum, tolerance) << "m " << m << " n " << n << " of " << M << " x " << N << " x " << K;
    }
  }
}

TEST(BlockProducts, AgreeWithWidenedWeightsForAnyNumberOfRows) {
  for_each_target([] {
    for (const BlockFormat format : kFormats) {
      SCOPED_TRACE(block_format_name(format));
      const int64_t block = block_layout(format).values;
      for (const int64_t N : {1, 7, 26}) {
        for (const int64_t M : {1, 2, 3, 8, 9, 33}) {
          check_product(Weights(format, N, 3 * block, 11), M, M % 2 ? float32 : bfloat16);
        }
      }
      check_product(Weights(format, 3, 9 * 256, 12), 1, float32);  // longer than one chunk of scales
      check_product(Weights(format, 3, 9 * 256, 12), 40, float32);
    }
  });
}

#ifndef PLIMSOLL_OWN_THREADS
// Weights are rounded to bfloat16 on this path: 2^-9 of each term.
TEST(BlockProducts, Bfloat16PanelsAgreeWithWidenedWeights) {
  const int64_t M = 20, N = 1030, K = 64;  // more than one panel
  const Weights w(BlockFormat::Q4_1, N, K, 5);
  std::vector<bfloat16_t> x(M * 2 * K), y(M * N, bfloat16_t(std::numeric_limits<float>::quiet_NaN()));
  for (size_t i = 0; i < x.size(); ++i) x[i] = bfloat16_t(static_cast<float>(i * 7 % 23) - 11.0f);
  std::vector<float> widened(N * K);
  widen_blocks(w.matrix, 0, N, widened.data(), K);
  for (const int64_t step : {1, 2}) {
    std::vector<std::byte> scratch(bfloat16_panels_scratch_bytes(M, N, K));
    multiply_bfloat16_panels(BlockWeightRows(w.matrix),
                             {M, {x.data(), bfloat16, step * K, step}, y.data(), bfloat16, N}, scratch.data());
    for (int64_t i = 0; i < M * N; ++i) {
      double sum = 0, size = 0;
      for (int64_t k = 0; k < K; ++k) {
        const double term = static_cast<double>(x[(i / N * K + k) * step]) * widened[i % N * K + k];
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(y[i], sum, size * 0x1p-9 + std::abs(sum) * 0x1p-8) << i;
    }
  }
}
#endif

TEST(BlockProducts, GiveTheProductWithTheWeightsUntransposed) {
  for_each_target([] {
    for (const int64_t M : {1, 5, 34}) {
      const Weights w(BlockFormat::Q4_K, 7, 512, 3);
      std::vector<float> x(M * 7), widened(7 * 512), y(M * 512);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2.0f;
      widen_blocks(w.matrix, 0, 7, widened.data(), 512);
      std::vector<std::byte> scratch(weight_transposed_scratch_bytes(M, 7, 512));
      multiply_weights_transposed(BlockWeightRows(w.matrix), {M, {x.data(), float32, 7, 1}, y.data(), float32, 512},
                                  scratch.data());
      for (int64_t i = 0; i < M * 512; ++i) {
        double sum = 0;
        for (int64_t n = 0; n < 7; ++n) sum += static_cast<double>(x[i / 512 * 7 + n]) * widened[n * 512 + i % 512];
        ASSERT_NEAR(y[i], sum, 1e-5 * (1 + std::abs(sum))) << i;
      }
    }
  });
}

}  // namespace
}  // namespace plimsoll::cpu::quantized
