#include "cpu/quantized/affine.h"

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "cpu/quantized/weights.h"
#include "cpu/target_test_util.h"
#include "gtest/gtest.h"

namespace plimsoll::cpu::quantized {
namespace {

// One value of a row, bit by bit: independent of the unpacking under test.
uint32_t integer_at(const uint8_t* row, int bits, int64_t index) {
  uint32_t value = 0;
  for (int b = 0; b < bits; ++b) {
    const int64_t at = index * bits + b;
    value |= static_cast<uint32_t>(row[at / 8] >> (at % 8) & 1) << b;
  }
  return value;
}

struct Weights {
  std::vector<uint8_t> packed;
  std::vector<float> scales, biases;
  std::vector<bfloat16_t> narrow_scales, narrow_biases;
  AffineMatrix matrix;

  Weights(int bits, int group, int64_t rows, int64_t values, Dtype dtype) : packed(rows * values * bits / 8) {
    std::mt19937 random(static_cast<uint32_t>(bits * group));
    for (uint8_t& byte : packed) byte = static_cast<uint8_t>(random());
    for (int64_t i = 0; i < rows * values / group; ++i) {
      scales.push_back(static_cast<float>(bfloat16_t(static_cast<float>(random() % 100 + 1) / 64)));
      biases.push_back(static_cast<float>(bfloat16_t(static_cast<float>(random() % 100) - 50)));
    }
    narrow_scales.assign(scales.begin(), scales.end());
    narrow_biases.assign(biases.begin(), biases.end());
    const bool wide = dtype == float32;
    matrix = {packed.data(),
              wide ? static_cast<const void*>(scales.data()) : narrow_scales.data(),
              wide ? static_cast<const void*>(biases.data()) : narrow_biases.data(),
              dtype,
              bits,
              group,
              rows,
              values,
              values * bits / 8,
              values / group};
  }
  float at(int64_t n, int64_t k) const {
    const int64_t g = n * matrix.scale_row_stride + k / matrix.group;
    const uint32_t q = integer_at(packed.data() + n * matrix.row_bytes, matrix.bits, k);
    return static_cast<float>(static_cast<double>(scales[g]) * q + biases[g]);
  }
};

TEST(Affine, WidensEveryBitWidthAndGroup) {
  for_each_target([] {
    for (const int bits : {2, 3, 4, 5, 6, 8}) {
      for (const int group : {32, 64, 128}) {
        const int64_t K = 20 * 128;
        const Weights w(bits, group, 3, K, group == 64 ? bfloat16 : float32);
        std::vector<float> out(3 * K);
        widen_affine(w.matrix, 0, 3, out.data(), K);
        for (int64_t i = 0; i < 3 * K; ++i) {
          ASSERT_NEAR(out[i], w.at(i / K, i % K), 1e-5 * std::abs(out[i]) + 1e-4)
              << bits << " bits, group " << group << " at " << i;
        }
      }
    }
  });
}

TEST(Affine, ProductsWithFewOrRaggedColumns) {
  for_each_target([] {
    for (const int64_t N : {1, 4, 7, 32, 33, 96, 112}) {
      for (const int64_t K : {544, 608}) {
        const Weights w(4, 32, N, K, float32);
        for (const int64_t M : {1, 2, 3, 9, 33}) {
          std::vector<float> x(M * K), y(M * N, std::numeric_limits<float>::quiet_NaN());
          for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 13) - 6.0f;
          std::vector<std::byte> scratch(weight_product_scratch_bytes(M, N, K) + 64);
          void* aligned = scratch.data();
          size_t room = scratch.size();
          std::align(64, room - 63, aligned, room);
          multiply_weights(AffineWeightRows(w.matrix), {M, {x.data(), float32, K, 1}, y.data(), float32, N}, aligned);
          for (int64_t i = 0; i < M * N; i += 1 + i % 5) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < K; ++k) {
              const double term = static_cast<double>(x[i / N * K + k]) * w.at(i % N, k);
              sum += term;
              size += std::abs(term);
            }
            ASSERT_NEAR(y[i], sum, size * 0x1p-18) << M << "x" << N << "x" << K << " at " << i;
          }
        }
      }
    }
  });
}

TEST(Affine, QuantizationStaysWithinHalfAStep) {
  for (const int bits : {2, 3, 4, 5, 6, 8}) {
    for (const int group : {32, 64, 128}) {
      std::vector<float> values(256), scales(256 / group), biases(256 / group), out(256);
      std::mt19937 random(static_cast<uint32_t>(bits));
      std::normal_distribution<float> normal;
      for (float& value : values) value = normal(random);
      std::vector<uint8_t> packed(256 * bits / 8);
      quantize_affine_row(values.data(), 256, bits, group, packed.data(), scales.data(), biases.data());
      const AffineMatrix w{packed.data(), scales.data(), biases.data(), float32, bits, group, 1,
                           256,           32 * bits,     256 / group};
      widen_affine(w, 0, 1, out.data(), 256);
      for (int i = 0; i < 256; ++i) {
        // The scale is stretched so that the larger end is exact: the other end may be cut by up to one more half step.
        ASSERT_LE(std::abs(out[i] - values[i]), 1.01f * std::abs(scales[i / group])) << bits << " bits, value " << i;
      }
    }
  }
}

TEST(Affine, QuantizesConstantGroupsExactly) {
  for (const float value : {0.0f, 1.5f, -3.25f}) {
    std::vector<float> values(64, value), scale(1), bias(1), out(64);
    std::vector<uint8_t> packed(32);
    quantize_affine_row(values.data(), 64, 4, 64, packed.data(), scale.data(), bias.data());
    widen_affine({packed.data(), scale.data(), bias.data(), float32, 4, 64, 1, 64, 32, 1}, 0, 1, out.data(), 64);
    for (const float back : out) EXPECT_NEAR(back, value, 1e-6f);
  }
}

}  // namespace
}  // namespace plimsoll::cpu::quantized
