// Attention against the direct formula in float64.
#include "cpu/attention_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "base/parallel.h"
#include "cpu/target_test_util.h"

namespace plimsoll::cpu {
namespace {

struct Case {
  int64_t batch = 1, query_heads = 1, kv_heads = 1, queries = 1, keys = 1, dim = 64, value_dim = 64;
  bool causal = false;
};

enum class Layout { kContiguous, kCache, kColumnStrided };
enum class Mask { kNone, kBool, kAdditive };

// [batch, heads, rows, columns] in T, in a layout.
template <typename T>
struct Operand {
  std::vector<T> values;
  int64_t strides[4];

  Operand(int64_t batch, int64_t heads, int64_t rows, int64_t columns, Layout layout, std::mt19937& random) {
    std::normal_distribution<float> normal;
    const int64_t step = layout == Layout::kColumnStrided ? 2 : 1;
    values.resize(static_cast<size_t>(batch * heads * rows * columns * step));
    for (T& value : values) value = T(normal(random));
    const int64_t row = layout == Layout::kCache ? heads * columns : columns * step;
    const int64_t head = layout == Layout::kCache ? columns : rows * columns * step;
    const int64_t all[4] = {heads * rows * columns * step, head, row, step};
    std::copy(all, all + 4, strides);
  }
  // A row as float64.
  std::vector<double> row(int64_t b, int64_t h, int64_t r, int64_t columns) const {
    std::vector<double> row;
    const T* from = values.data() + b * strides[0] + h * strides[1] + r * strides[2];
    for (int64_t c = 0; c < columns; ++c) row.push_back(static_cast<double>(from[c * strides[3]]));
    return row;
  }
  AttentionOperand view() const {
    AttentionOperand operand{reinterpret_cast<const std::byte*>(values.data()), {}};
    std::copy(strides, strides + 4, operand.strides);
    return operand;
  }
};

template <typename T>
struct Fixture {
  Case c;
  std::mt19937 random{99};
  Operand<T> q, k, v;
  std::vector<uint8_t> seen;  // [queries, keys], broadcast over batch and heads
  std::vector<T> added;       // [query_heads, 1, keys], broadcast over batch and queries
  Mask mask;

  Fixture(const Case& which, Layout layout, Mask mask_kind = Mask::kNone)
      : c(which),
        q(c.batch, c.query_heads, c.queries, c.dim, Layout::kContiguous, random),
        k(c.batch, c.kv_heads, c.keys, c.dim, layout, random),
        v(c.batch, c.kv_heads, c.keys, c.value_dim, layout, random),
        mask(mask_kind) {
    for (int64_t i = 0; i < c.queries * c.keys; ++i) seen.push_back(random() % 3 != 0);
    // The last query sees nothing.
    for (int64_t i = 0; i < c.keys && c.queries > 0; ++i) seen[static_cast<size_t>((c.queries - 1) * c.keys + i)] = 0;
    for (int64_t i = 0; i < c.query_heads * c.keys; ++i) added.push_back(T(float(random() % 100) / 50 - 1));
    if (!added.empty()) added[0] = T(-std::numeric_limits<float>::infinity());
  }

  double scale() const { return 1 / std::sqrt(static_cast<double>(c.dim)); }

  Attention problem(std::vector<T>& out) const {
    Attention p;
    p.dtype = TypeToDtype<T>();
    p.batch = c.batch, p.query_heads = c.query_heads, p.kv_heads = c.kv_heads, p.queries = c.queries, p.keys = c.keys;
    p.dim = c.dim, p.value_dim = c.value_dim, p.scale = scale(), p.causal = c.causal;
    p.q = q.view(), p.k = k.view(), p.v = v.view();
    p.out_strides[0] = c.query_heads * c.queries * c.value_dim;
    p.out_strides[1] = c.queries * c.value_dim;
    p.out_strides[2] = c.value_dim;
    p.out = reinterpret_cast<std::byte*>(out.data());
    if (mask == Mask::kBool) {
      p.mask = {reinterpret_cast<const std::byte*>(seen.data()), {0, 0, c.keys, 1}};
    } else if (mask == Mask::kAdditive) {
      p.mask = {reinterpret_cast<const std::byte*>(added.data()), {0, c.keys, 0, 1}};
      p.mask_dtype = p.dtype;
    }
    return p;
  }

  std::vector<T> run() const {
    std::vector<T> out(static_cast<size_t>(c.batch * c.query_heads * c.queries * c.value_dim),
                       T(std::numeric_limits<float>::quiet_NaN()));
    const Attention p = problem(out);
    std::vector<std::byte> scratch(attention_scratch_bytes(p), std::byte{0xff});
    attention(p, scratch);
    return out;
  }

  bool visible(int64_t i, int64_t j) const {
    if (c.causal && j > c.keys - c.queries + i) return false;
    return mask != Mask::kBool || seen[static_cast<size_t>(i * c.keys + j)] != 0;
  }

  // The output in float64.
  std::vector<double> reference() const {
    std::vector<double> out;
    for (int64_t b = 0; b < c.batch; ++b) {
      for (int64_t h = 0; h < c.query_heads; ++h) {
        std::vector<std::vector<double>> key_rows, value_rows;
        const int64_t kv = h / (c.query_heads / c.kv_heads);
        for (int64_t j = 0; j < c.keys; ++j) {
          key_rows.push_back(k.row(b, kv, j, c.dim));
          value_rows.push_back(v.row(b, kv, j, c.value_dim));
        }
        for (int64_t i = 0; i < c.queries; ++i) {
          const auto weights = reference_weights(q.row(b, h, i, c.dim), key_rows, h, i);
          std::vector<double> row(static_cast<size_t>(c.value_dim), 0.0);
          for (size_t j = 0; j < weights.size(); ++j) {
            for (size_t x = 0; x < row.size() && weights[j] != 0; ++x) row[x] += weights[j] * value_rows[j][x];
          }
          out.insert(out.end(), row.begin(), row.end());
        }
      }
    }
    return out;
  }

  std::vector<double> reference_weights(const std::vector<double>& query,
                                        const std::vector<std::vector<double>>& key_rows, int64_t h, int64_t i) const {
    std::vector<double> weights;
    for (int64_t j = 0; j < c.keys; ++j) {
      double dot =
          std::inner_product(query.begin(), query.end(), key_rows[static_cast<size_t>(j)].begin(), 0.0) * scale();
      if (mask == Mask::kAdditive) dot += static_cast<double>(added[static_cast<size_t>(h * c.keys + j)]);
      weights.push_back(visible(i, j) ? dot : -std::numeric_limits<double>::infinity());
    }
    const double maximum = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& weight : weights) total += weight = std::isinf(weight) ? 0 : std::exp(weight - maximum);
    for (double& weight : weights) weight = total == 0 ? 0 : weight / total;
    return weights;
  }
};

// Values are below about 4: absolute and relative errors are of one size.
template <typename T>
double tolerance() {
  if (std::is_same_v<T, double>) return 1e-13;
  if (std::is_same_v<T, float>) return 1e-5;
  return std::is_same_v<T, float16_t> ? 4e-3 : 2e-2;
}

template <typename T>
void expect_near(const std::vector<T>& got, const std::vector<double>& want, const Case& c) {
  ASSERT_EQ(got.size(), want.size());
  size_t worst = 0, bad = 0;
  const auto error = [&](size_t i) { return std::abs(static_cast<double>(got[i]) - want[i]); };
  for (size_t i = 0; i < got.size(); ++i) {
    if (!(error(i) <= error(worst))) worst = i;
    bad += !(error(i) <= tolerance<T>());
  }
  EXPECT_EQ(bad, 0u) << "of " << got.size() << "; worst is element " << worst << ": " << got[worst] << ", want "
                     << want[worst] << "; L=" << c.queries << " S=" << c.keys << " D=" << c.dim << " Dv=" << c.value_dim
                     << " heads " << c.query_heads << '/' << c.kv_heads << (c.causal ? " causal" : "");
}

template <typename T>
void check(const Fixture<T>& fixture) {
  expect_near(fixture.run(), fixture.reference(), fixture.c);
}

template <typename T>
void check_on_every_target(const Fixture<T>& fixture) {
  const std::vector<double> want = fixture.reference();
  for_each_target([&] { expect_near(fixture.run(), want, fixture.c); });
}

template <typename T>
class AttentionOf : public ::testing::Test {};
using Types = ::testing::Types<float, float16_t, bfloat16_t, double>;
TYPED_TEST_SUITE(AttentionOf, Types);

TYPED_TEST(AttentionOf, EveryMaskAndLayout) {
  for (const Layout layout : {Layout::kContiguous, Layout::kCache, Layout::kColumnStrided}) {
    for (const Mask mask : {Mask::kNone, Mask::kBool, Mask::kAdditive}) {
      for (const bool causal : {false, true}) {
        for (const int64_t queries : {1, 3, 37}) {
          check_on_every_target(Fixture<TypeParam>({2, 4, 2, queries, 130, 20, 13, causal}, layout, mask));
        }
      }
    }
  }
}

TYPED_TEST(AttentionOf, LongKeysForOneQuery) {
  for (const int64_t keys : {511, 512, 513, 1500}) {
    check_on_every_target(Fixture<TypeParam>({1, 3, 1, 1, keys, 64, 64, false}, Layout::kCache));
    check_on_every_target(Fixture<TypeParam>({1, 2, 2, 2, keys, 64, 64, true}, Layout::kCache, Mask::kBool));
  }
}

// K13: every length with every surplus of keys; head dimensions and group sizes rotate, so that each pair is met.
TEST(Attention, LengthsOffTheTile) {
  int turn = 0;
  for (const int64_t queries : {1, 7, 31, 33, 63, 65, 127, 129, 250}) {
    for (int64_t more = 0; more <= 3; ++more, ++turn) {
      for (int i = 0; i < 3; ++i) {
        const int64_t dim = std::array{64, 96, 128}[static_cast<size_t>(i)];
        const int64_t group = std::array{1, 4, 8}[static_cast<size_t>((i + turn) % 3)];
        const Case c{1, group, 1, queries, queries + more, dim, dim, true};
        check(Fixture<float>(c, Layout::kContiguous));
        if (i == turn % 3) check(Fixture<bfloat16_t>(c, Layout::kCache));
      }
    }
  }
}

// K13: dot products of 73,728 are beyond float16.
TEST(Attention, ScoresBeyondFloat16AverageTheVisibleValues) {
  for (const int64_t queries : {1, 70}) {
    Fixture<float16_t> fixture({1, 2, 1, queries, 75, 128, 128, true}, Layout::kContiguous);
    for (float16_t& x : fixture.q.values) x = 24.0f;
    for (float16_t& x : fixture.k.values) x = 24.0f;
    check(fixture);
  }
}

TEST(Attention, MoreQueriesThanKeysGiveZerosWhereNothingIsSeen) {
  Fixture<float> fixture({1, 1, 1, 40, 10, 16, 16, true}, Layout::kContiguous);
  const auto out = fixture.run();
  for (size_t i = 0; i < 30 * 16; ++i) ASSERT_EQ(out[i], 0.0f);
  check(fixture);
}

// K08
TEST(Attention, EmptyOperands) {
  EXPECT_TRUE(Fixture<float>({1, 2, 1, 0, 5, 8, 8, true}, Layout::kContiguous).run().empty());
  EXPECT_TRUE(Fixture<float>({0, 2, 1, 3, 5, 8, 8, false}, Layout::kContiguous).run().empty());
  EXPECT_TRUE(Fixture<float>({1, 2, 1, 3, 5, 8, 0, false}, Layout::kContiguous).run().empty());
  for (const float value : Fixture<float>({1, 2, 1, 3, 0, 8, 8, false}, Layout::kContiguous).run()) {
    EXPECT_EQ(value, 0.0f);
  }
}

TEST(Attention, NanStaysInItsRowsAndInfinityIsNotHidden) {
  for_each_target([] {
    for (const int64_t queries : {2, 40}) {
      Fixture<float> fixture({1, 1, 1, queries, 70, 16, 16, false}, Layout::kContiguous);
      fixture.q.values[3] = std::numeric_limits<float>::quiet_NaN();
      fixture.q.values[16] = std::numeric_limits<float>::infinity();
      const auto out = fixture.run();
      for (size_t i = 0; i < 32; ++i) ASSERT_TRUE(std::isnan(out[i])) << i;
      for (size_t i = 32; i < out.size(); ++i) ASSERT_FALSE(std::isnan(out[i])) << i;
    }
  });
}

TEST(Attention, ResultsDoNotDependOnThreads) {
  for (const int64_t queries : {1, 150}) {
    const Fixture<float> fixture({2, 4, 2, queries, 1200, 64, 64, true}, Layout::kCache);
    base::set_num_threads(1);
    const auto one = fixture.run();
    base::set_num_threads(3);
    const auto three = fixture.run();
    base::set_num_threads(0);
    EXPECT_EQ(one, three);
  }
}

}  // namespace
}  // namespace plimsoll::cpu
