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

// The same values, `offset` elements into a longer array.
array shifted(const array& a, ShapeElem offset) {
  const auto count = static_cast<ShapeElem>(a.size());
  const array longer =
      contiguous(concatenate({zeros({offset}, a.dtype()), reshape(a, {count}), zeros({3}, a.dtype())}, 0));
  return reshape(slice(longer, Shape{offset}, Shape{offset + count}), a.shape());
}

// float32 products with float32 weights are the reference, to what rounding the result to x's dtype leaves.
void expect_block_product(const array& x, const array& w, BlockFormat format) {
  const array dense = astype(block_dequantize(w, format), float32);
  leave_nan_behind({static_cast<ShapeElem>(x.size()) / x.shape(-1), w.shape(0)});
  expect_close(block_quantized_matmul(x, w, format), matmul(astype(x, float32), swapaxes(dense, 0, 1)), 1e-2f);
}

TEST(BlockQuantized, WeightsAndRowsStartAtAnyByte) {
  for (const BlockFormat format : {BlockFormat::Q4_0, BlockFormat::Q5_1, BlockFormat::Q6_K, BlockFormat::Q4_K}) {
    SCOPED_TRACE(block_format_name(format));
    const array w = block_weights(format, 5, 1), dense = block_dequantize(w, format);
    const array x = wave({2, block_values(format)}, 0.37f, bfloat16);
    for (int offset = 0; offset < 16; ++offset) {
      SCOPED_TRACE(offset);
      const array moved = shifted(w, offset);
      EXPECT_TRUE(array_equal(block_dequantize(moved, format), dense).item<bool>());
      expect_block_product(shifted(x, offset / 2), moved, format);
    }
  }
}

TEST(BlockQuantized, FewRowsAndTheOtherOrderOfEveryFormat) {
  for (const BlockFormat format : kFormats) {
    SCOPED_TRACE(block_format_name(format));
    const array w = block_weights(format, 37, 1), dense = block_dequantize(w, format);
    expect_block_product(wave({3, block_values(format)}, 0.37f), w, format);
    const array x = wave({17, block_values(format)}, 0.37f), ct = wave({17, 37}, 0.7f);
    const auto loss = [&](const array& v) { return sum(multiply(block_quantized_matmul(v, w, format), ct)); };
    leave_nan_behind(x.shape());
    expect_close(grad(loss)(x), matmul(ct, dense), 1e-5f);
  }
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

TEST(Quantized, EveryInputStartsAtAnyElement) {
  for (const int bits : {3, 4, 6}) {
    SCOPED_TRACE(bits);
    const std::vector<array> q = quantize(wave({7, 128}, 0.11f, float16), 64, bits);
    const array dense = dequantize(q[0], q[1], q[2], 64, bits), x = wave({2, 128}, 0.3f, float16);
    const array expected = matmul(astype(x, float32), swapaxes(astype(dense, float32), 0, 1));
    for (ShapeElem offset = 0; offset < 8; ++offset) {
      SCOPED_TRACE(offset);
      const array w = shifted(q[0], offset % 4), scales = shifted(q[1], offset), biases = shifted(q[2], 7 - offset);
      EXPECT_TRUE(array_equal(dequantize(w, scales, biases, 64, bits), dense).item<bool>());
      expect_close(quantized_matmul(shifted(x, offset), w, scales, biases, true, 64, bits), expected, 1e-2f);
    }
  }
}

TEST(Quantized, ScalesOfAnotherDtypeThanTheRows) {
  const std::vector<array> q = quantize(wave({33, 128}, 0.11f), 32, 5);
  const array dense = dequantize(q[0], q[1], q[2], 32, 5);
  for (const ShapeElem M : {1, 20}) {
    const array x = wave({M, 128}, 0.3f, bfloat16);
    const array y = quantized_matmul(x, q[0], q[1], q[2], true, 32, 5);
    EXPECT_EQ(y.dtype(), bfloat16);
    expect_close(y, matmul(astype(x, float32), swapaxes(dense, 0, 1)), 1e-2f);
  }
}

// Rows that no single stride steps through, in the values, the packed words and the scales.
TEST(Quantized, QuantizesAndWidensStridedRows) {
  const array w = wave({4, 3, 2, 64}, 0.11f);
  const array turned = swapaxes(w, 0, 2), columns = swapaxes(wave({64, 9}, 0.13f), 0, 1);
  for (const array& values : {turned, columns}) {
    const std::vector<array> q = quantize(values, 32, 4), copy = quantize(contiguous(values), 32, 4);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(array_equal(q[i], copy[i]).item<bool>());
    const array dense = dequantize(q[0], q[1], q[2], 32, 4);
    EXPECT_LE(largest(subtract(dense, values)), 2.02f / 15.0f);  // a step of the grid
  }
  const std::vector<array> q = quantize(w, 32, 4);
  const array dense = dequantize(q[0], q[1], q[2], 32, 4);
  const auto turn = [](const array& a) { return swapaxes(a, 0, 2); };
  EXPECT_TRUE(array_equal(dequantize(turn(q[0]), turn(q[1]), turn(q[2]), 32, 4), turn(dense)).item<bool>());
}

TEST(Quantized, NothingToQuantizeGivesNothing) {  // K08
  const std::vector<array> q = quantize(zeros({0, 64}), 32, 4);
  EXPECT_EQ(q[0].shape(), (Shape{0, 8}));
  array none = dequantize(q[0], q[1], q[2], 32, 4),
        product = quantized_matmul(zeros({3, 64}), q[0], q[1], q[2], true, 32, 4);
  eval(none, product);
  EXPECT_EQ(none.shape(), (Shape{0, 64}));
  EXPECT_EQ(product.shape(), (Shape{3, 0}));
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
