// Scaled dot-product attention through the public API: masks, layouts and gradients. The kernels' own suite sweeps
// dtypes and targets.
#include <algorithm>
#include <limits>
#include <string>

#include "plimsoll/fast.h"
#include "reference.h"

namespace plimsoll {
namespace {

using testing::doubles;
using testing::epsilon;
using testing::expect_close;
using testing::expect_gradients;
using testing::random_array;

using Mask = std::optional<array>;
constexpr float kInf = std::numeric_limits<float>::infinity();

// The direct formula in float64. Rows that see nothing are zero.
array reference(const array& q, const array& k, const array& v, double scale, bool causal, const Mask& mask = {}) {
  const int B = q.shape(0), H = q.shape(1), L = q.shape(2), D = q.shape(3), S = k.shape(2), W = v.shape(3);
  const int group = H / k.shape(1);
  const auto x = doubles(q), keys = doubles(k), values = doubles(v);
  const bool boolean = mask && mask->dtype() == bool_;
  const auto added = mask ? doubles(broadcast_to(*mask, {B, H, L, S})) : std::vector<double>();
  std::vector<double> out(static_cast<size_t>(B) * H * L * W, 0.0), scores(static_cast<size_t>(S));
  for (int row = 0; row < B * H * L; ++row) {
    const int b = row / (H * L), h = row / L % H, i = row % L;
    const size_t head = static_cast<size_t>(b * k.shape(1) + h / group) * static_cast<size_t>(S);
    for (int j = 0; j < S; ++j) {
      double dot = 0;
      for (int c = 0; c < D; ++c) dot += x[static_cast<size_t>(row * D + c)] * keys[(head + j) * D + c];
      const double m = mask ? added[static_cast<size_t>(row) * S + j] : 0.0;
      const bool hidden = (causal && j > S - L + i) || (boolean && m == 0);
      scores[j] = hidden ? -kInf : dot * scale + (boolean ? 0.0 : m);
    }
    const double top = S == 0 ? -kInf : *std::max_element(scores.begin(), scores.end());
    if (std::isinf(top)) continue;
    double total = 0;
    for (const double score : scores) total += std::exp(score - top);
    for (int j = 0; j < S; ++j) {
      const double weight = std::exp(scores[j] - top) / total;
      for (int c = 0; c < W; ++c) out[static_cast<size_t>(row * W + c)] += weight * values[(head + j) * W + c];
    }
  }
  return array(out.begin(), {B, H, L, W}, float64);
}

// The direct formula by operations, for gradients.
array direct(const array& q, const array& k, const array& v, float scale, bool causal) {
  const int L = q.shape(2), S = k.shape(2), group = q.shape(1) / k.shape(1);
  const array scores = multiply(matmul(q, swapaxes(repeat(k, group, 1), -1, -2)), array(scale, q.dtype()));
  const array hidden = greater(expand_dims(arange(0, S), 0), expand_dims(arange(S - L, S), 1));
  const array masked = causal ? where(hidden, array(-kInf, q.dtype()), scores) : scores;
  return matmul(softmax(masked, -1), repeat(v, group, 1));
}

TEST(AttentionOp, MaskModesAndDtypes) {
  for (const Dtype dtype : {float32, float16, bfloat16, float64}) {
    const array q = random_array({2, 4, 9, 24}, dtype, 1), k = random_array({2, 2, 70, 24}, dtype, 2);
    const array v = random_array({2, 2, 70, 12}, dtype, 3);
    const double tolerance = 2 * epsilon(dtype) + (dtype == float64 ? 1e-14 : 2e-6);
    const auto run = [&](const std::string& mode, const Mask& mask) {
      return fast::scaled_dot_product_attention(q, k, v, 0.2f, mode, mask);
    };
    expect_close(run("", {}), doubles(reference(q, k, v, 0.2f, false)), tolerance, "none");
    expect_close(run("causal", {}), doubles(reference(q, k, v, 0.2f, true)), tolerance, "causal");
    const array added = random_array({4, 1, 70}, dtype, 4),
                seen = greater(random_array({9, 70}, float32, 5), array(0.0f));
    expect_close(run("array", added), doubles(reference(q, k, v, 0.2f, false, added)), tolerance, "additive");
    expect_close(run("", seen), doubles(reference(q, k, v, 0.2f, false, seen)), tolerance, "boolean");
  }
}

TEST(AttentionOp, CacheLayoutAndBroadcastHeads) {
  const array cache_k = random_array({1, 40, 2, 16}, bfloat16, 1), cache_v = random_array({1, 40, 2, 16}, bfloat16, 2);
  const array k = transpose(slice(cache_k, {0, 0, 0, 0}, {1, 33, 2, 16}), {0, 2, 1, 3});
  const array v = transpose(slice(cache_v, {0, 0, 0, 0}, {1, 33, 2, 16}), {0, 2, 1, 3});
  for (const int queries : {1, 33}) {
    const array q = transpose(random_array({1, queries, 6, 16}, bfloat16, 3), {0, 2, 1, 3});
    const array out = fast::scaled_dot_product_attention(q, k, v, 0.25f, "causal");
    expect_close(out, doubles(reference(q, k, v, 0.25f, true)), 0x1p-7);
    array joined = reshape(transpose(out, {0, 2, 1, 3}), {1, queries, 96});
    joined.eval();
    EXPECT_TRUE(joined.flags().row_contiguous);
  }
  const array one = random_array({1, 1, 12, 16}, float32, 4), q = random_array({3, 2, 5, 16}, float32, 5);
  const array shared = broadcast_to(one, {3, 2, 12, 16});
  expect_close(fast::scaled_dot_product_attention(q, shared, shared, 0.25f),
               doubles(reference(q, shared, shared, 0.25f, false)), 2e-6);
}

// `a` at `elements` elements behind the start of a fresh buffer.
array shifted(const array& a, ShapeElem elements) {
  const ShapeElem size = static_cast<ShapeElem>(a.size());
  array buffer = contiguous(concatenate({zeros({elements}, a.dtype()), reshape(a, {size})}));
  buffer.eval();
  return reshape(slice(buffer, Shape{elements}, Shape{elements + size}), a.shape());
}

// Of weights and results rounded to the dtype, and of sums in float32.
double tolerance_of(Dtype dtype) { return 2 * epsilon(dtype) + (dtype == float64 ? 1e-14 : 2e-6); }

TEST(AttentionOp, OperandsAtEveryByteOffset) {
  for (const Dtype dtype : {float32, float16, bfloat16, float64}) {
    for (const int queries : {2, 40}) {  // on GPUs: by parts of the keys, and in tiles
      const array q = random_array({1, 2, queries, 32}, dtype, 1), k = random_array({1, 1, 45, 32}, dtype, 2),
                  v = random_array({1, 1, 45, 32}, dtype, 3), mask = random_array({queries, 45}, dtype, 4);
      const auto want = doubles(reference(q, k, v, 0.2f, false, mask));
      for (ShapeElem offset = 0; offset * static_cast<int>(dtype.size()) < 16; ++offset) {
        const ShapeElem other = (offset + 3) % 8;
        expect_close(fast::scaled_dot_product_attention(shifted(q, other), shifted(k, offset), shifted(v, 0), 0.2f, "",
                                                        shifted(mask, other)),
                     want, tolerance_of(dtype));
        expect_close(fast::scaled_dot_product_attention(shifted(q, offset), shifted(k, 0), shifted(v, offset), 0.2f, "",
                                                        shifted(mask, offset)),
                     want, tolerance_of(dtype));
      }
    }
  }
  const array q = random_array({1, 1, 3, 8}, float32, 1), k = random_array({1, 1, 21, 8}, float32, 2);
  const array seen = greater(random_array({3, 21}, float32, 3), array(0.0f));
  for (ShapeElem offset = 0; offset < 16; ++offset) {
    expect_close(fast::scaled_dot_product_attention(q, k, k, 0.5f, "", shifted(seen, offset)),
                 doubles(reference(q, k, k, 0.5f, false, seen)), 2e-6);
  }
}

TEST(AttentionOp, FewQueriesAgainstManyKeys) {
  struct Case {
    Dtype dtype;
    int dim, group, queries, keys;
  };
  for (const auto& [dtype, dim, group, queries, keys] : {Case{float32, 64, 1, 1, 130},
                                                         {float32, 256, 4, 2, 515},
                                                         {float32, 5, 8, 3, 700},
                                                         {float16, 64, 4, 1, 1031},
                                                         {float16, 80, 1, 2, 227},
                                                         {float16, 128, 8, 1, 421},
                                                         {bfloat16, 96, 4, 3, 324},
                                                         {bfloat16, 128, 1, 1, 612},
                                                         {bfloat16, 256, 8, 1, 129}}) {
    const array q = random_array({2, 2 * group, queries, dim}, dtype, 1);
    const array k = swapaxes(random_array({2, keys, 2, dim}, dtype, 2), 1, 2),
                v = swapaxes(random_array({2, keys, 2, dim}, dtype, 3), 1, 2);
    const float scale = 1 / std::sqrt(static_cast<float>(dim));
    const array out = fast::scaled_dot_product_attention(q, k, v, scale, "causal");
    expect_close(out, doubles(reference(q, k, v, scale, true)), tolerance_of(dtype));
    if (dim > 64) continue;
    const array seen = greater(random_array({queries, keys}, float32, 5), array(1.0f));
    expect_close(fast::scaled_dot_product_attention(q, k, v, scale, "", seen),
                 doubles(reference(q, k, v, scale, false, seen)), tolerance_of(dtype));
  }
}

TEST(AttentionOp, ManyQueriesOfEveryHeadDimension) {
  struct Case {
    Dtype dtype;
    int dim;
  };
  for (const auto& [dtype, dim] : {Case{float32, 64},
                                   {float32, 256},
                                   {float32, 5},
                                   {float16, 128},
                                   {float16, 80},
                                   {bfloat16, 96},
                                   {bfloat16, 128}}) {
    const array q = random_array({1, 2, 70, dim}, dtype, 1), k = random_array({1, 1, 73, dim}, dtype, 2),
                v = random_array({1, 1, 73, dim}, dtype, 3);
    const float scale = 1 / std::sqrt(static_cast<float>(dim));
    expect_close(fast::scaled_dot_product_attention(q, k, v, scale, "causal"), doubles(reference(q, k, v, scale, true)),
                 tolerance_of(dtype));
  }
}

// Longer than a launch of a GPU: the ranges of queries have to meet.
TEST(AttentionOp, ManyQueriesInRanges) {
  for (const Dtype dtype : {float32, float16}) {
    const array q = random_array({2, 1, 1100, 16}, dtype, 1), k = random_array({2, 1, 1103, 16}, dtype, 2);
    expect_close(fast::scaled_dot_product_attention(q, k, k, 0.25f, "causal"), doubles(reference(q, k, k, 0.25f, true)),
                 tolerance_of(dtype));
  }
}

// Scores that rise with each key, to 150: what was summed before has to be scaled again and again. A score's rounding
// to float32 is its weight's relative error.
TEST(AttentionOp, RisingMaxima) {
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const int queries : {1, 40}) {
      const array q = random_array({1, 1, queries, 16}, dtype, 1), k = random_array({1, 1, 300, 16}, dtype, 2),
                  v = random_array({1, 1, 300, 16}, dtype, 3);
      const array rising = astype(multiply(arange(0, 300), array(0.5f)), dtype);
      expect_close(fast::scaled_dot_product_attention(q, k, v, 0.1f, "", reshape(rising, {1, 300})),
                   doubles(reference(q, k, v, 0.1f, false, reshape(rising, {1, 300}))),
                   tolerance_of(dtype) + 150 * 0x1p-24);
    }
  }
}

TEST(AttentionOp, StridedOperands) {
  for (const int queries : {2, 40}) {
    const array q = random_array({1, 2, queries, 12}, float32, 1), k = random_array({1, 2, 45, 12}, float32, 2),
                v = random_array({1, 2, 45, 8}, float32, 3);
    const auto want = doubles(reference(q, k, v, 0.3f, true));
    const auto qs = testing::layouts_of(q), ks = testing::layouts_of(k), vs = testing::layouts_of(v);
    for (size_t i = 0; i < qs.size(); ++i) {
      const array out =
          fast::scaled_dot_product_attention(qs[i], ks[(i + 1) % ks.size()], vs[(i + 2) % vs.size()], 0.3f, "causal");
      expect_close(out, want, 2e-6, "layout " + std::to_string(i));
    }
    const auto backwards = [](const array& a) { return flip(contiguous(flip(a, 2)), 2); };
    expect_close(fast::scaled_dot_product_attention(backwards(q), backwards(k), backwards(v), 0.3f, "causal"), want,
                 2e-6);
  }
}

// K13: forward and backward at lengths off every tile; head dimensions and group sizes rotate, so that each pair is
// met.
TEST(AttentionOp, LengthsOffTheTileForwardAndBackward) {
  constexpr int kDims[] = {64, 96, 128}, kGroups[] = {1, 4, 8};
  int turn = 0;
  for (const int queries : {1, 7, 31, 33, 63, 65, 127, 129, 250}) {
    for (int more = 0; more <= 3; ++more, ++turn) {
      const int dim = kDims[turn % 3], group = kGroups[turn / 3 % 3];
      const array q = random_array({1, group, queries, dim}, float32, 1);
      const array k = random_array({1, 1, queries + more, dim}, float32, 2),
                  v = random_array({1, 1, queries + more, dim}, float32, 3);
      const array cotangent = random_array({1, group, queries, dim}, float32, 4);
      const float scale = 1 / std::sqrt(static_cast<float>(dim));
      const auto fused = [&](const std::vector<array>& x) {
        return std::vector<array>{fast::scaled_dot_product_attention(x[0], x[1], x[2], scale, "causal")};
      };
      const auto plain = [&](const std::vector<array>& x) {
        return std::vector<array>{direct(x[0], x[1], x[2], scale, true)};
      };
      const auto [out, gradients] = vjp(fused, {q, k, v}, {cotangent});
      const auto [want, want_gradients] = vjp(plain, {q, k, v}, {cotangent});
      expect_close(out[0], doubles(want[0]), 1e-4, "forward");
      for (size_t i = 0; i < 3; ++i) expect_close(gradients[i], doubles(want_gradients[i]), 1e-4, "gradient");
    }
  }
}

// K13: dot products of 73,728 are beyond float16.
TEST(AttentionOp, ScoresBeyondFloat16AverageTheVisibleValues) {
  for (const int tokens : {20, 50}) {
    const array q = full({1, 1, tokens, 128}, 24.0f, float16), v = random_array({1, 1, tokens, 128}, float16, 6);
    expect_close(fast::scaled_dot_product_attention(q, q, v, 1.0f, "causal"), doubles(reference(q, q, v, 1.0, true)),
                 0x1p-9);
  }
  const array q = full({1, 1, 20, 128}, 24.0f, float16), v = random_array({1, 1, 20, 128}, float16, 6);
  for (const array& gradient :
       vjp(
           [](const std::vector<array>& x) {
             return std::vector<array>{fast::scaled_dot_product_attention(x[0], x[1], x[2], 1.0f, "causal")};
           },
           {q, q, v}, {ones_like(v)})
           .second) {
    for (const double value : doubles(gradient)) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(AttentionOp, EmptyOperands) {  // K08
  const array q = zeros({1, 2, 0, 8}, float32), k = random_array({1, 2, 5, 8}, float32, 1);
  EXPECT_TRUE(doubles(fast::scaled_dot_product_attention(q, k, k, 1.0f, "causal")).empty());
  const array none = zeros({1, 2, 0, 8}, float32);
  expect_close(fast::scaled_dot_product_attention(k, none, none, 1.0f), std::vector<double>(80, 0.0), 0);
}

TEST(AttentionOp, RowsThatSeeNothingAreZeroAndHaveNoGradient) {
  const array q = random_array({1, 1, 6, 8}, float32, 1), k = random_array({1, 1, 2, 8}, float32, 2);
  const auto f = [](const std::vector<array>& x) {
    return std::vector<array>{fast::scaled_dot_product_attention(x[0], x[1], x[2], 1.0f, "causal")};
  };
  const auto [out, gradients] = vjp(f, {q, k, k}, {ones({1, 1, 6, 8}, float32)});
  const auto values = doubles(out[0]), by_query = doubles(gradients[0]);
  for (size_t i = 0; i < 32; ++i) ASSERT_TRUE(values[i] == 0 && by_query[i] == 0) << i;
  for (const double value : doubles(gradients[1])) ASSERT_TRUE(std::isfinite(value));
}

TEST(AttentionOp, Gradients) {
  const array q = random_array({2, 4, 5, 6}, float64, 1), k = random_array({2, 2, 7, 6}, float64, 2);
  const array v = random_array({2, 2, 7, 3}, float64, 3), added = random_array({2, 1, 5, 7}, float64, 4);
  const array seen = greater(random_array({5, 7}, float32, 5), array(-0.5f));
  const auto with = [](const std::string& mode, const Mask& mask) {
    return [=](const std::vector<array>& x) {
      return fast::scaled_dot_product_attention(x[0], x[1], x[2], 0.4f, mode, x.size() > 3 ? Mask(x[3]) : mask);
    };
  };
  expect_gradients(with("", {}), {q, k, v});
  expect_gradients(with("causal", {}), {q, k, v});
  expect_gradients(with("array", seen), {q, k, v});
  expect_gradients(with("", {}), {q, k, v, added});
}

TEST(AttentionOp, GradientsAcrossBlocksOfQueries) {
  const array q = random_array({1, 2, 600, 8}, float64, 1), k = random_array({1, 1, 610, 8}, float64, 2);
  expect_gradients([](const auto& x) { return fast::scaled_dot_product_attention(x[0], x[1], x[1], 0.3f, "causal"); },
                   {q, k}, 1e-5, 4);
}

TEST(AttentionOp, Refusals) {
  const array a = zeros({1, 2, 3, 4}, float32);
  const auto run = [&](const array& q, const array& k, const array& v, const std::string& mode = "",
                       const Mask& mask = {}) { return fast::scaled_dot_product_attention(q, k, v, 1.0f, mode, mask); };
  EXPECT_THROW(run(zeros({2, 3, 4}, float32), a, a), std::invalid_argument);
  EXPECT_THROW(run(a, zeros({1, 2, 3, 5}, float32), a), std::invalid_argument);
  EXPECT_THROW(run(a, zeros({1, 3, 3, 4}, float32), zeros({1, 3, 3, 4}, float32)), std::invalid_argument);
  EXPECT_THROW(run(a, a, zeros({1, 2, 4, 4}, float32)), std::invalid_argument);
  EXPECT_THROW(run(a, a, a, "sliding"), std::invalid_argument);
  EXPECT_THROW(run(a, a, a, "array"), std::invalid_argument);
  EXPECT_THROW(run(a, a, a, "causal", ones({3, 3}, bool_)), std::invalid_argument);
  EXPECT_THROW(run(a, a, a, "", ones({2, 3}, bool_)), std::invalid_argument);
  EXPECT_THROW(run(a, a, a, "", zeros({3, 3}, float64)), std::invalid_argument);
  EXPECT_THROW(run(astype(a, int32), astype(a, int32), astype(a, int32)), std::invalid_argument);
}

}  // namespace
}  // namespace plimsoll
