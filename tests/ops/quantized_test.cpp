// Quantized products through the public API.
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "plimsoll/ops.h"
#include "plimsoll/quantized.h"
#include "plimsoll/transforms.h"
#include "gtest/gtest.h"

namespace plimsoll {
namespace {

constexpr BlockFormat kFormats[] = {BlockFormat::Q4_0, BlockFormat::Q4_1, BlockFormat::Q5_0, BlockFormat::Q5_1,
                                    BlockFormat::Q8_0, BlockFormat::Q4_K, BlockFormat::Q5_K, BlockFormat::Q6_K};

std::vector<char> golden(BlockFormat format, const char* ending) {
  std::string name(block_format_name(format));
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  std::ifstream file(PLIMSOLL_TESTS_DIR "/golden/quantized/" + name + ending, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Golden blocks as weights [rows, row bytes], those with ordinary scales, over and over.
array block_weights(BlockFormat format, int rows, int blocks_in_row) {
  const std::vector<char> bytes = golden(format, ".blocks");
  const int size = block_bytes(format), count = static_cast<int>(bytes.size()) / size;
  std::vector<uint8_t> out;
  for (int i = 0; i < rows * blocks_in_row; ++i) {
    const int block = 6 + i * 5 % (count - 6);
    out.insert(out.end(), bytes.begin() + block * size, bytes.begin() + (block + 1) * size);
  }
  return array(out.begin(), {rows, blocks_in_row * size}, uint8);
}

array wave(const Shape& shape, float step, Dtype dtype = float32) {
  ShapeElem count = 1;
  for (const ShapeElem length : shape) count *= length;
  return astype(reshape(sin(multiply(arange(static_cast<double>(count), float32), array(step))), shape), dtype);
}

// Fills freed memory with NaN, so that outputs which are not written show.
void leave_nan_behind(const Shape& shape) {
  array nan = full(shape, std::numeric_limits<float>::quiet_NaN());
  nan.eval();
}

float largest(const array& a) { return max(abs(astype(a, float32))).item<float>(); }

void expect_close(const array& actual, const array& expected, float relative) {
  ASSERT_EQ(actual.shape(), expected.shape());
  if (expected.size() == 0) return;
  const float error = largest(subtract(astype(actual, float32), expected));
  EXPECT_LE(error, relative * (largest(expected) + 1e-6f));  // false for NaN too
}

// K03: widened values are the format's own, bit for bit; products are within 1e-2 of float32 products with them.
TEST(BlockQuantized, K03DequantizesBitEqualToTheReference) {
  for (const BlockFormat format : kFormats) {
    SCOPED_TRACE(block_format_name(format));
    const std::vector<char> blocks = golden(format, ".blocks"), values = golden(format, ".values");
    ASSERT_FALSE(blocks.empty());
    const auto* bytes = reinterpret_cast<const uint8_t*>(blocks.data());
    array out = block_dequantize(array(bytes, {2, static_cast<ShapeElem>(blocks.size() / 2)}, uint8), format);
    out.eval();
    ASSERT_EQ(out.nbytes(), values.size());
    EXPECT_EQ(0, std::memcmp(out.data<float>(), values.data(), values.size()));
    EXPECT_EQ(block_format_from_name(block_format_name(format)), format);
  }
}

TEST(BlockQuantized, K03ProductsAgreeWithDequantizedWeights) {
  for (const BlockFormat format : kFormats) {
    SCOPED_TRACE(block_format_name(format));
    for (const Dtype dtype : {float32, bfloat16, float16}) {
      for (const Shape& shape : {Shape{1}, Shape{2, 3}, Shape{40}}) {
        const array w = block_weights(format, 27, 3);
        Shape x_shape = shape;
        x_shape.push_back(3 * block_values(format));
        const array x = wave(x_shape, 0.37f, dtype);
        const array expected = matmul(astype(x, float32), swapaxes(block_dequantize(w, format), 0, 1));
        leave_nan_behind(expected.shape());
        const array actual = block_quantized_matmul(x, w, format);
        EXPECT_EQ(actual.dtype(), dtype);
        expect_close(actual, expected, dtype == float32 ? 1e-5f : 1e-2f);
      }
    }
  }
}

TEST(BlockQuantized, GradientInXIsTheProductWithTheWeights) {
  const array w = block_weights(BlockFormat::Q6_K, 9, 2), x = wave({3, 4, 512}, 0.2f), ct = wave({3, 4, 9}, 0.7f);
  const auto loss = [&](const array& v) { return sum(multiply(block_quantized_matmul(v, w, BlockFormat::Q6_K), ct)); };
  expect_close(grad(loss)(x), matmul(ct, block_dequantize(w, BlockFormat::Q6_K)), 1e-5f);
}

TEST(BlockQuantized, NoRowsGiveAnEmptyResult) {  // K08
  array none = block_quantized_matmul(zeros({0, 64}), block_weights(BlockFormat::Q8_0, 5, 2), BlockFormat::Q8_0);
  none.eval();
  EXPECT_EQ(none.shape(), (Shape{0, 5}));
}

// K07: few or ragged output columns, both weight orders, outputs over memory full of NaN.
TEST(Quantized, K07FewOrRaggedColumns) {
  for (const int N : {1, 4, 7, 32, 33, 96, 112}) {
    for (const int K : {544, 608, 1024}) {
      const std::vector<array> q = quantize(wave({N, K}, 0.11f), 32, 4);
      const array dense = dequantize(q[0], q[1], q[2], 32, 4);
      for (const int M : {1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 33}) {
        if (K == 1024 && M != 1) continue;
        const array x = wave({M, K}, 0.3f);
        leave_nan_behind({M, N});
        expect_close(quantized_matmul(x, q[0], q[1], q[2], true, 32, 4), matmul(x, swapaxes(dense, 0, 1)), 1e-4f);
        const array y = wave({M, N}, 0.3f);
        leave_nan_behind({M, K});
        expect_close(quantized_matmul(y, q[0], q[1], q[2], false, 32, 4), matmul(y, dense), 1e-4f);
      }
    }
  }
}

TEST(Quantized, EveryBitWidthGroupAndDtype) {
  for (const int bits : {2, 3, 4, 5, 6, 8}) {
    for (const int group : {32, 64, 128}) {
      for (const Dtype dtype : {float32, bfloat16, float16}) {
        const array w = wave({6, 384}, 0.13f, dtype);
        const std::vector<array> q = quantize(w, group, bits);
        EXPECT_EQ(q[0].shape(), (Shape{6, 384 * bits / 32}));
        EXPECT_EQ(q[1].dtype(), dtype);
        const array dense = dequantize(q[0], q[1], q[2], group, bits);
        EXPECT_EQ(dense.dtype(), dtype);
        // One step of the grid, which spans [-1, 1], and the rounding of scale and bias.
        EXPECT_LE(largest(subtract(astype(dense, float32), astype(w, float32))),
                  2.02f / static_cast<float>((1 << bits) - 1) + 0.02f);
        const array x = wave({2, 384}, 0.5f, dtype);
        expect_close(quantized_matmul(x, q[0], q[1], q[2], true, group, bits),
                     matmul(astype(x, float32), swapaxes(astype(dense, float32), 0, 1)), 1e-2f);
      }
    }
  }
}

TEST(Quantized, StridedInputsAndRowsOfAView) {
  const std::vector<array> q = quantize(wave({20, 64}, 0.11f), 32, 8);
  const array dense = dequantize(q[0], q[1], q[2], 32, 8);
  const array x = swapaxes(wave({64, 12}, 0.3f), 0, 1);
  expect_close(quantized_matmul(x, q[0], q[1], q[2], true, 32, 8), matmul(x, swapaxes(dense, 0, 1)), 1e-4f);
  const array batch = swapaxes(wave({3, 5, 64}, 0.3f), 0, 1);
  expect_close(quantized_matmul(batch, q[0], q[1], q[2], true, 32, 8), matmul(batch, swapaxes(dense, 0, 1)), 1e-4f);
  const auto every_second = [](const array& a) { return slice(a, Shape{1, 0}, Shape{20, a.shape(1)}, Shape{2, 1}); };
  expect_close(quantized_matmul(x, every_second(q[0]), every_second(q[1]), every_second(q[2]), true, 32, 8),
               matmul(x, swapaxes(every_second(dense), 0, 1)), 1e-4f);
}

TEST(Quantized, GradientsOfScalesAndBiases) {
  const std::vector<array> q = quantize(wave({6, 64}, 0.11f), 32, 4);
  const array x = wave({5, 64}, 0.3f), ct = wave({5, 6}, 0.9f);
  const auto through = [&](const std::vector<array>& in) {
    return sum(multiply(quantized_matmul(in[0], q[0], in[1], in[2], true, 32, 4), ct));
  };
  const auto reference = [&](const std::vector<array>& in) {
    const array integers = dequantize(q[0], ones({6, 2}), zeros({6, 2}), 32, 4);
    const array w = add(multiply(reshape(integers, {6, 2, 32}), expand_dims(in[1], 2)), expand_dims(in[2], 2));
    return sum(multiply(matmul(in[0], swapaxes(reshape(w, {6, 64}), 0, 1)), ct));
  };
  const auto actual = grad(through, std::vector<int>{0, 1, 2})({x, q[1], q[2]});
  const auto expected = grad(reference, std::vector<int>{0, 1, 2})({x, q[1], q[2]});
  for (int i = 0; i < 3; ++i) expect_close(actual[i], expected[i], 1e-4f);
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Quantized, ErrorsSayWhatFits) {
  EXPECT_EQ(message_of([] { quantize(ones({4, 100}), 32, 4); }),
            "[quantize] w of shape (4,100) needs two or more dimensions, the last a multiple of the group size 32");
  EXPECT_EQ(message_of([] { quantize(ones({4, 96}), 48, 4); }), "[quantize] group_size must be 32, 64 or 128; got 48");
  EXPECT_EQ(message_of([] { quantize(ones({4, 64}), 32, 7); }), "[quantize] bits must be 2, 3, 4, 5, 6 or 8; got 7");
  const std::vector<array> q = quantize(ones({4, 64}), 32, 4);
  EXPECT_EQ(message_of([&] { quantized_matmul(ones({2, 32}), q[0], q[1], q[2], true, 32, 4); }),
            "[quantized_matmul] x of shape (2,32) needs a last dimension of 64 to be multiplied with packed weights of "
            "shape (4,8)");
  EXPECT_EQ(message_of([&] { quantized_matmul(ones({2, 64}), q[0], q[1], q[2], true, 64, 4); }),
            "[quantized_matmul] packed weights (4,8) of 4 bits do not fit scales (4,2) of groups of 64");
  EXPECT_EQ(
      message_of([] { block_dequantize(zeros({2, 19}, uint8), BlockFormat::Q4_0); }),
      "[block_dequantize] Q4_0 weights must be uint8 with rows of a multiple of 18 bytes; got uint8 of shape (2,19)");
}

}  // namespace
}  // namespace plimsoll
