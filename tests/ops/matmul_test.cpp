// Matrix products through the public API, against float64 sums over the elements that the arrays hold.
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "gtest/gtest.h"

namespace plimsoll {
namespace {

using Complex = std::complex<double>;

// The values of `a` in row-major order.
std::vector<Complex> values_of(const array& a) {
  array flat = reshape(astype(a, complex64), {static_cast<ShapeElem>(a.size())});
  if (a.dtype() != float64) {
    flat = contiguous(flat);
    flat.eval();
    return {flat.data<complex64_t>(), flat.data<complex64_t>() + a.size()};
  }
  array wide = contiguous(reshape(a, {static_cast<ShapeElem>(a.size())}));
  wide.eval();
  return {wide.data<double>(), wide.data<double>() + a.size()};
}

// Small integers in a pattern without symmetry: sums of them are exact in every dtype but the 16-bit floats, which
// round once.
array pattern(const Shape& shape, Dtype dtype, int seed) {
  ShapeElem count = 1;
  for (const ShapeElem length : shape) count *= length;
  const int levels = dtype.size() == 1 ? 2 : 6, lowest = issubdtype(dtype, unsignedinteger) || levels == 2 ? 0 : -2;
  std::vector<int> values;
  for (ShapeElem i = 0; i < count; ++i) values.push_back((i * 7 + i / 5 + seed) % levels + lowest);
  return astype(array(values.begin(), shape, int32), dtype);
}

void expect_product(const array& product, const array& a, const array& b) {  // [B, M, K] x [B, K, N]
  const int64_t B = a.shape(0), M = a.shape(1), K = a.shape(2), N = b.shape(2);
  const auto x = values_of(a), y = values_of(b), out = values_of(product);
  ASSERT_EQ(static_cast<int64_t>(out.size()), B * M * N);
  const double relative = product.dtype() == bfloat16 ? 0x1p-8 : product.dtype() == float16 ? 0x1p-11 : 0.0;
  for (int64_t i = 0; i < B * M * N; ++i) {
    const int64_t batch = i / (M * N), m = i / N % M, n = i % N;
    Complex sum = 0;
    for (int64_t k = 0; k < K; ++k) sum += x[(batch * M + m) * K + k] * y[(batch * K + k) * N + n];
    if (product.dtype() == bool_) sum = sum != 0.0;
    ASSERT_LE(std::abs(out[i] - sum), relative * std::abs(sum)) << product.dtype() << " element " << i;
  }
}

TEST(Matmul, EveryDtypeAndRaggedShapes) {
  for (const Dtype dtype :
       {bool_, int8, uint8, int16, int32, uint32, int64, float16, bfloat16, float32, float64, complex64}) {
    for (const auto& [M, K, N] : {std::tuple{1, 33, 7}, {5, 64, 1}, {9, 17, 40}, {33, 40, 35}}) {
      const array a = pattern({2, M, K}, dtype, 1), b = pattern({2, K, N}, dtype, 4);
      const array product = matmul(a, b);
      EXPECT_EQ(product.dtype(), dtype);
      EXPECT_EQ(product.shape(), (Shape{2, M, N}));
      expect_product(product, a, b);
    }
  }
}

TEST(Matmul, StridedReversedTransposedAndBroadcastOperands) {
  for (const Dtype dtype : {float32, bfloat16, float64}) {
    const array a =
        slice(pattern({2, 22, 38}, dtype, 3), Shape{0, 21, 0}, Shape{2, -23, 38}, Shape{1, -2, 2});  // [2, 11, 19]
    const array b = swapaxes(pattern({2, 13, 19}, dtype, 5), 1, 2);
    expect_product(matmul(a, b), a, b);
    const array turned = swapaxes(pattern({2, 19, 11}, dtype, 7), 1, 2);
    expect_product(matmul(turned, b), turned, b);
    const array wide = broadcast_to(pattern({1, 1, 19}, dtype, 2), {2, 11, 19});
    expect_product(matmul(wide, b), wide, b);
  }
}

TEST(Matmul, BatchesBroadcastAndShareAMatrix) {
  const array a = pattern({3, 1, 4, 6}, float32, 1), b = pattern({2, 6, 5}, float32, 2);
  const array product = matmul(a, b);
  ASSERT_EQ(product.shape(), (Shape{3, 2, 4, 5}));
  expect_product(reshape(product, {6, 4, 5}), reshape(broadcast_to(a, {3, 2, 4, 6}), {6, 4, 6}),
                 reshape(broadcast_to(b, {3, 2, 6, 5}), {6, 6, 5}));
  for (const array& shared : {pattern({6, 5}, float32, 9), swapaxes(pattern({5, 6}, float32, 9), 0, 1)}) {
    for (const array& rows : {pattern({3, 1, 6}, float32, 1), pattern({3, 14, 6}, float32, 1),
                              swapaxes(pattern({14, 3, 6}, float32, 1), 0, 1)}) {
      expect_product(matmul(rows, shared), rows, broadcast_to(shared, {3, 6, 5}));
    }
  }
}

// `a` at `elements` elements behind the start of a fresh buffer.
array shifted(const array& a, ShapeElem elements) {
  const ShapeElem size = static_cast<ShapeElem>(a.size());
  array buffer = contiguous(concatenate({zeros({elements}, a.dtype()), reshape(a, {size})}));
  buffer.eval();
  return reshape(slice(buffer, Shape{elements}, Shape{elements + size}), a.shape());
}

TEST(Matmul, OperandsAtEveryByteOffset) {
  for (const Dtype dtype : {float16, bfloat16, float32, int8, float64, complex64}) {
    for (ShapeElem offset = 0; offset * static_cast<int>(dtype.size()) < 16; ++offset) {
      for (const ShapeElem M : {2, 12}) {
        const array a = pattern({1, M, 32}, dtype, 1), b = pattern({1, 32, 24}, dtype, 2),
                    turned = pattern({1, 24, 32}, dtype, 3);
        const ShapeElem other = (offset + 3) % 8;
        expect_product(matmul(shifted(a, offset), shifted(b, other)), a, b);
        expect_product(matmul(shifted(a, other), swapaxes(shifted(turned, offset), 1, 2)), a, swapaxes(turned, 1, 2));
      }
    }
  }
}

TEST(Matmul, LengthsOffTheTile) {  // K13
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const ShapeElem length : {1, 7, 31, 33, 63, 65, 129}) {
      const array a = pattern({1, length, length + 1}, dtype, 1), b = pattern({1, length + 1, length + 2}, dtype, 2);
      expect_product(matmul(a, b), a, b);
      const array c = pattern({1, length + 2, length + 1}, dtype, 3);
      expect_product(matmul(a, swapaxes(c, 1, 2)), a, swapaxes(c, 1, 2));
    }
  }
}

TEST(Matmul, FewRowsAndRaggedColumns) {  // K07, without quantization
  for (const Dtype dtype : {float32, bfloat16}) {
    for (const ShapeElem N : {1, 4, 7, 33, 112}) {
      for (const ShapeElem M : {1, 3, 8, 9}) {
        const array a = pattern({1, M, 544}, dtype, M), b = pattern({1, 544, N}, dtype, 2),
                    turned = swapaxes(pattern({1, N, 544}, dtype, 3), 1, 2);
        expect_product(matmul(a, b), a, b);
        expect_product(matmul(a, turned), a, turned);
        expect_product(matmul(swapaxes(b, 1, 2), swapaxes(a, 1, 2)), swapaxes(b, 1, 2), swapaxes(a, 1, 2));
      }
    }
  }
}

TEST(Matmul, LongSumsForFewOutputs) {  // GPUs sum K in parts
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const auto& [M, N] : {std::pair{1, 1}, {2, 5}, {20, 17}}) {
      const array a = pattern({1, M, 4111}, dtype, 1), b = pattern({1, 4111, N}, dtype, 2);
      expect_product(matmul(a, b), a, b);
      const array turned = swapaxes(pattern({1, N, 4111}, dtype, 3), 1, 2);
      expect_product(matmul(a, turned), a, turned);
      if (dtype != float32) continue;  // exact
      const array c = pattern({1, M, N}, dtype, 4);
      expect_product(subtract(addmm(c, a, turned), c), a, turned);
    }
  }
}

// Axes of the batch that no operand steps through evenly with their neighbours.
TEST(Matmul, ManyAxesOfBatch) {
  const array a = pattern({2, 1, 2, 1, 2, 1, 2, 3, 4}, float32, 1),
              b = pattern({1, 2, 1, 3, 1, 2, 1, 4, 5}, float32, 2);
  const Shape batch{2, 2, 2, 3, 2, 2, 2};
  Shape shape_a = batch, shape_b = batch;
  for (const ShapeElem length : {3, 4}) shape_a.push_back(length);
  for (const ShapeElem length : {4, 5}) shape_b.push_back(length);
  expect_product(reshape(matmul(a, b), {192, 3, 5}), reshape(broadcast_to(a, shape_a), {192, 3, 4}),
                 reshape(broadcast_to(b, shape_b), {192, 4, 5}));
}

TEST(Matmul, SubnormalHalvesAreNotLost) {
  for (const ShapeElem M : {1, 16}) {
    std::vector<float16_t> values;
    for (int i = 0; i < M * 64; ++i) values.push_back(float16_t::from_bits(static_cast<uint16_t>(i * 31 % 1024 + 1)));
    const array a(values.begin(), {M, 64}, float16);
    array same = matmul(a, astype(eye(64), float16)), turned = matmul(a, swapaxes(astype(eye(64), float16), 0, 1));
    eval(same, turned);
    for (int i = 0; i < M * 64; ++i) {
      ASSERT_EQ(same.data<float16_t>()[i].bits, values[i].bits) << i;
      ASSERT_EQ(turned.data<float16_t>()[i].bits, values[i].bits) << i;
    }
  }
}

TEST(Matmul, InfinityStaysInItsRowAndColumn) {
  for (const ShapeElem M : {3, 19}) {
    std::vector<float> values(M * 21, 1.0f);
    values[1 * 21 + 20] = std::numeric_limits<float>::infinity();
    array out = matmul(array(values.begin(), {M, 21}, float32), ones({21, 18}));
    out.eval();
    for (int i = 0; i < M * 18; ++i) {
      ASSERT_EQ(out.data<float>()[i], i / 18 == 1 ? std::numeric_limits<float>::infinity() : 21.0f) << i;
    }
  }
}

TEST(Matmul, HalfSumsPassTheirTypesRange) {  // K13: 24 * 24 * 128 = 73,728
  for (const ShapeElem M : {1, 33}) {
    const array a = full({M, 128}, 24.0f, float16), b = full({128, 40}, 24.0f, float16);
    const array half = addmm(zeros({40}, float16), a, b, 0.5f, 1.0f);
    EXPECT_TRUE(array_equal(astype(half, float32), full({M, 40}, 36864.0f)).item<bool>());
  }
}

TEST(Matmul, IntegersWrapAround) {
  const array product = matmul(full({3, 200}, 200, uint8), full({200, 5}, 200, uint8));
  EXPECT_TRUE(array_equal(product, full({3, 5}, 200 * 200 * 200 % 256, uint8)).item<bool>());
  const array deep = matmul(full({2, 3}, 1 << 30, int32), full({3, 2}, 2, int32));
  EXPECT_TRUE(array_equal(deep, full({2, 2}, std::numeric_limits<int>::min(), int32)).item<bool>());
}

TEST(Addmm, IntegersTakeWholeAndFractionalFactors) {
  const array a = full({2, 3}, 3, int32), b = full({3, 2}, 5, int32), c = full({2, 2}, 7, int32);
  EXPECT_TRUE(array_equal(addmm(c, a, b, 2.0f, -3.0f), full({2, 2}, 69, int32)).item<bool>());
  EXPECT_TRUE(array_equal(addmm(c, a, b, 0.5f, 1.5f), full({2, 2}, 33, int32)).item<bool>());
}

TEST(Matmul, ManySmallMembersRunSideBySide) {
  const array a = pattern({40, 3, 8}, float32, 1), b = pattern({40, 8, 9}, float32, 2);
  expect_product(matmul(a, b), a, b);
}

TEST(Matmul, VectorsAreRowsAndColumns) {
  const array v = array({1.0f, 2.0f, 3.0f}), m = array({1.0f, 0.0f, 2.0f, 1.0f, 0.0f, 1.0f}, Shape{3, 2});
  EXPECT_EQ(matmul(v, m).shape(), (Shape{2}));
  EXPECT_EQ(matmul(v, v).item<float>(), 14.0f);
  EXPECT_TRUE(array_equal(matmul(v, m), array({5.0f, 5.0f})).item<bool>());
  EXPECT_TRUE(array_equal(matmul(swapaxes(m, 0, 1), v), array({5.0f, 5.0f})).item<bool>());
}

TEST(Matmul, EmptyOperandsGiveZerosOrNothing) {  // K08
  EXPECT_TRUE(array_equal(matmul(ones({4, 0}), ones({0, 4})), zeros({4, 4})).item<bool>());
  EXPECT_EQ(matmul(ones({0, 3}), ones({3, 4})).shape(), (Shape{0, 4}));
  array none = matmul(ones({0, 2, 3}), ones({3, 4}));
  none.eval();
  EXPECT_EQ(none.size(), 0u);
  const array twos = addmm(ones({2, 2}), ones({2, 0}), ones({0, 2}), 0.0f, 2.0f);
  EXPECT_TRUE(array_equal(twos, full({2, 2}, 2.0f)).item<bool>());
}

TEST(Matmul, MixedDtypesArePromoted) {
  EXPECT_EQ(matmul(ones({2, 2}, float16), ones({2, 2}, float32)).dtype(), float32);
  EXPECT_EQ(matmul(ones({2, 2}, float16), ones({2, 2}, bfloat16)).dtype(), float32);
}

TEST(Addmm, AppliesFractionalFactorsInHalfPrecision) {  // K11
  const array a = reshape(astype(arange(6), float16), {2, 3});
  const array out = addmm(ones({2, 2}, float16), a, swapaxes(a, 0, 1), 0.7f, 1.3f);
  EXPECT_EQ(out.dtype(), float16);
  EXPECT_TRUE(allclose(astype(out, float32), array({4.8f, 11.1f, 11.1f, 36.3f}, Shape{2, 2}), 0.0, 0.05).item<bool>());
}

TEST(Addmm, BroadcastsTheAddendOverRowsAndBatch) {
  const array a = pattern({3, 5, 4}, float32, 1), b = pattern({4, 6}, float32, 2), c = pattern({6}, float32, 3);
  EXPECT_TRUE(array_equal(addmm(c, a, b), add(c, matmul(a, b))).item<bool>());
  const array each = pattern({3, 5, 6}, float32, 5), column = pattern({5, 1}, float32, 4);
  EXPECT_TRUE(
      array_equal(addmm(each, a, b, 2.0f, -1.0f), subtract(multiply(array(2.0f), matmul(a, b)), each)).item<bool>());
  EXPECT_TRUE(array_equal(addmm(column, a, b), add(column, matmul(a, b))).item<bool>());
}

TEST(Matmul, GradientsAreTheProductsWithTheTransposes) {
  const array a = pattern({3, 4, 5}, float32, 1), b = pattern({5, 6}, float32, 2),
              weight = pattern({3, 4, 6}, float32, 3);
  const auto loss = [&](const std::vector<array>& in) { return sum(multiply(matmul(in[0], in[1]), weight)); };
  const auto gradients = grad(loss, std::vector<int>{0, 1})({a, b});
  EXPECT_TRUE(array_equal(gradients[0], matmul(weight, swapaxes(b, 0, 1))).item<bool>());
  const array expected = sum(matmul(swapaxes(a, 1, 2), weight), 0);
  EXPECT_EQ(gradients[1].shape(), b.shape());
  EXPECT_TRUE(array_equal(gradients[1], expected).item<bool>());
}

TEST(Addmm, GradientsCarryTheFactors) {
  const array a = pattern({4, 5}, float32, 1), b = pattern({5, 6}, float32, 2), c = pattern({6}, float32, 3);
  const auto loss = [](const std::vector<array>& in) { return sum(addmm(in[0], in[1], in[2], 2.0f, 3.0f)); };
  const auto gradients = grad(loss, std::vector<int>{0, 1, 2})({c, a, b});
  EXPECT_TRUE(array_equal(gradients[0], full({6}, 12.0f)).item<bool>());
  EXPECT_TRUE(array_equal(gradients[1], multiply(array(2.0f), matmul(ones({4, 6}), swapaxes(b, 0, 1)))).item<bool>());
  EXPECT_TRUE(array_equal(gradients[2], multiply(array(2.0f), matmul(swapaxes(a, 0, 1), ones({4, 6})))).item<bool>());
}

TEST(Tensordot, SumsOverTheAxesNamed) {
  const array a = pattern({2, 3, 4}, float32, 1), b = pattern({4, 3, 5}, float32, 2);
  const array expected = matmul(reshape(a, {2, 12}), reshape(transpose(b, {1, 0, 2}), {12, 5}));
  EXPECT_TRUE(array_equal(tensordot(a, b, {1, 2}, {1, 0}), expected).item<bool>());
  EXPECT_EQ(outer(ones({3}), ones({4})).shape(), (Shape{3, 4}));
  EXPECT_EQ(inner(ones({2, 3}), ones({5, 3})).shape(), (Shape{2, 5}));
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Matmul, ErrorsNameTheShapes) {
  EXPECT_EQ(
      message_of([] { matmul(ones({2, 3}), ones({4, 5})); }),
      "[matmul] shapes (2,3) and (4,5): the last dimension of a (3) must equal the second last dimension of b (4)");
  EXPECT_EQ(message_of([] { matmul(array(1.0f), ones({2, 2})); }),
            "[matmul] operands need at least one dimension; got a scalar");
  EXPECT_EQ(message_of([] { addmm(ones({3, 3}), ones({2, 2}), ones({2, 2})); }).substr(0, 8), "[addmm] ");
  EXPECT_EQ(message_of([] { tensordot(ones({2, 3}), ones({4, 5}), {1}, {0}); }),
            "[tensordot] summed axes of (2,3) and (4,5) differ");
}

}  // namespace
}  // namespace plimsoll
