// Gathers and scatters against loops on the host.
#include <algorithm>
#include <stdexcept>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

array indices(std::initializer_list<int> values) { return array(values, int32); }

TEST(Indexing, TakesRowsOfEveryDtypeAndLayout) {
  for (const Dtype dtype : kRealDtypes) {
    const array a = any_array({7, 3, 10}, dtype, 1);
    const std::vector<double> values = doubles(a);
    const std::vector<int> rows = {6, 0, -1, 3, 3, -7};
    std::vector<double> want;
    for (const int row : rows) {
      const auto first = values.begin() + (row < 0 ? row + 7 : row) * 30;
      want.insert(want.end(), first, first + 30);
    }
    for (const array& x : all_layouts_of(a)) {
      for (const Dtype index : {int8, int32, int64}) {
        expect_close(take(x, array(rows.begin(), {6}, index), 0), want, 0, "take");
      }
      expect_matches(take(x, array(rows.begin(), {2, 3}, int32), 0), array(want.begin(), {2, 3, 3, 10}, float64), 0);
      expect_matches(take(x, 2, 1), slice(reshape(x, {7, 30}), {0, 20}, {7, 30}), 0, "one");
    }
  }
}

TEST(Indexing, TakesFlattened) {
  const array a = reshape(arange(6), {2, 3});
  expect_close(take(a, indices({5, 0})), {5, 0}, 0);
  EXPECT_EQ(take(a, 4).item<int>(), 4);
  expect_close(take(a, array({uint8_t(1)}), 1), {1, 4}, 0);
}

TEST(Indexing, AlongAnAxis) {
  for (const Dtype dtype : kRealDtypes) {
    const array a = any_array({4, 5, 6}, dtype, 1);
    const std::vector<double> values = doubles(a);
    for (const int axis : {0, 1, 2}) {
      Shape shape = a.shape();
      shape[static_cast<size_t>(axis)] = 3;
      const array at = subtract(remainder(any_array(shape, uint32, 2), array(uint32_t(4))), array(4));
      const std::vector<double> positions = doubles(astype(at, int32));
      std::vector<double> want;
      for (int n = 0, count = static_cast<int>(at.size()); n < count; ++n) {
        int index[3] = {n / (shape[1] * shape[2]), n / shape[2] % shape[1], n % shape[2]};
        index[axis] = static_cast<int>(positions[static_cast<size_t>(n)]) + a.shape(axis);
        want.push_back(values[static_cast<size_t>((index[0] * 5 + index[1]) * 6 + index[2])]);
      }
      for (const array& x : all_layouts_of(a)) {
        expect_close(take_along_axis(x, astype(at, int32), axis), want, 0, "take_along_axis");
      }
    }
  }
}

TEST(Indexing, PutsAlongAnAxis) {
  const array a = zeros({2, 4}, int32);
  const array at = array({0, -1, 2, 1}, {2, 2});
  expect_close(put_along_axis(a, at, array({1, 2, 3, 4}, {2, 2}), 1), {1, 0, 0, 2, 0, 4, 3, 0}, 0);
  expect_close(put_along_axis(a, at, array(9), 1), {9, 0, 0, 9, 0, 9, 9, 0}, 0);
  const array twice = array({1, 1, 1, 2}, {2, 2});
  expect_close(scatter_add_axis(a, twice, array({1, 2, 3, 4}, {2, 2}), 1), {0, 3, 0, 0, 0, 3, 4, 0}, 0);
  expect_close(a, std::vector<double>(8, 0.0), 0);
}

TEST(Indexing, GathersSlices) {
  const array a = reshape(arange(24), {2, 3, 4});
  const array out = gather(a, {indices({1, 0}), indices({0, 2})}, {0, 1}, {1, 1, 4});
  EXPECT_EQ(out.shape(), (Shape{2, 1, 1, 4}));
  expect_close(out, {12, 13, 14, 15, 8, 9, 10, 11}, 0);
  expect_close(gather(a, indices({2}), 2, {2, 1, 2}), {2, 3, 14, 15}, 0);
}

TEST(Indexing, ScattersCombineRepeats) {
  const std::vector<array> at = {indices({0, 0, 2})};
  for (const Dtype dtype : {int32, int64, uint8, float16, bfloat16, float32, float64}) {
    const array updates = reshape(array({1, 2, 3}, dtype), {3, 1});
    expect_close(scatter_add(zeros({3}, dtype), at, updates, {0}), {3, 0, 3}, 0, "add");
    expect_close(scatter_prod(full({3}, array(2, dtype)), at, updates, {0}), {4, 2, 6}, 0, "prod");
    expect_close(scatter_max(full({3}, array(1, dtype)), at, updates, {0}), {2, 1, 3}, 0, "max");
    expect_close(scatter_min(full({3}, array(9, dtype)), at, updates, {0}), {1, 9, 3}, 0, "min");
    const std::vector<double> put = doubles(scatter(zeros({3}, dtype), at, updates, {0}));
    EXPECT_TRUE(put[0] == 1 || put[0] == 2);
    EXPECT_EQ(put[2], 3);
  }
}

TEST(Indexing, ManyAddsToOneSlot) {
  const array at = zeros({100000}, int32);
  EXPECT_EQ(scatter_add(zeros({1}), {at}, ones({100000, 1}), {0}).item<float>(), 100000.0f);
}

TEST(Indexing, ScattersIntoRowsOfEveryLayout) {
  const array a = random_array({5, 40}, float32, 1), updates = random_array({4, 1, 40}, float32, 2);
  const array at = indices({4, 1, 4, -5});
  std::vector<double> want = doubles(a);
  const std::vector<double> added = doubles(updates);
  const size_t rows[] = {4, 1, 4, 0};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 40; ++j) want[rows[i] * 40 + j] += added[i * 40 + j];
  }
  for (const array& x : all_layouts_of(a)) {
    for (const array& u : all_layouts_of(updates)) expect_close(scatter_add(x, {at}, u, {0}), want, 1e-6);
  }
}

TEST(Indexing, OutOfRangeIsAnErrorOfTheEvaluation) {
  if (default_device() != Device::cpu) GTEST_SKIP() << "a GPU has no way back for the error";
  const array a = arange(4);
  for (const int bad : {4, -5, 1000000}) {
    array taken = take(a, array({bad}), 0);
    EXPECT_THROW(taken.eval(), std::out_of_range) << bad;
    EXPECT_THROW(take_along_axis(a, array({bad}), 0).eval(), std::out_of_range);
    EXPECT_THROW(put_along_axis(a, array({bad}), array({1}), 0).eval(), std::out_of_range);
    EXPECT_THROW(scatter_add(a, {array({bad})}, ones({1, 1}, int32), {0}).eval(), std::out_of_range);
  }
}

// What a GPU does instead: reads take the nearest element, writes do nothing.
TEST(Indexing, OutOfRangeNeverWritesAstray) {
  if (default_device() == Device::cpu) GTEST_SKIP() << "an error on the CPU";
  const array a = arange(4);
  const array bad = array({4, -5, 1000000, -1});
  expect_close(take(a, bad, 0), {3, 0, 3, 3}, 0);
  expect_close(take_along_axis(a, bad, 0), {3, 0, 3, 3}, 0);
  expect_close(put_along_axis(a, bad, array({9, 9, 9, 9}), 0), {0, 1, 2, 9}, 0);
  expect_close(scatter_add(a, {bad}, ones({4, 1}, int32), {0}), {0, 1, 2, 4}, 0);
  const array pair = array({0, 1, -3});
  expect_close(scatter_add(zeros({2, 2}), {pair, array({1, 2, 0})}, ones({3, 1, 1}), {0, 1}), {0, 1, 0, 0}, 0);
}

// Rows of every length and place modulo 16 bytes.
TEST(Indexing, RowsAtEveryOffset) {
  for (int width = 1; width <= 67; width += 6) {
    const array a = any_array({9, width}, uint8, 1);
    const array rows = indices({8, 0, -2, 3, 3});
    for (int from = 0; from < std::min(width, 16); ++from) {
      const array part = slice(a, {0, from}, {9, width});
      const std::vector<double> values = doubles(part);
      const size_t length = static_cast<size_t>(width - from);
      std::vector<double> want;
      for (const size_t row : {8, 0, 7, 3, 3}) {
        want.insert(want.end(), values.begin() + static_cast<std::ptrdiff_t>(row * length),
                    values.begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
      }
      expect_close(take(part, rows, 0), want, 0, "row gather");
    }
  }
}

// The last of several values put at one place stays, and repeats combine in order, whatever the sizes.
TEST(Indexing, ScattersKeepTheOrderOfUpdates) {
  const int count = 3000;
  const array at = astype(remainder(any_array({count}, uint32, 3), array(uint32_t(7))), int32);
  const array values = random_array({count, 1}, float16, 4);
  const std::vector<double> positions = doubles(at), updates = doubles(values);
  std::vector<double> want(7, 0.0);
  for (size_t i = 0; i < positions.size(); ++i) want[static_cast<size_t>(positions[i])] = updates[i];
  expect_close(scatter(zeros({7}, float16), {at}, values, {0}), want, 0, "put");
  const array wide = random_array({40, 1, 1300}, float32, 5);
  const array twice = astype(remainder(arange(40), array(3)), int32);
  std::vector<float> sums(3 * 1300, 0.0f);
  const std::vector<double> rows = doubles(wide);
  for (size_t i = 0; i < 40; ++i) {
    for (size_t j = 0; j < 1300; ++j) sums[i % 3 * 1300 + j] += static_cast<float>(rows[i * 1300 + j]);
  }
  expect_close(scatter_add(zeros({3, 1300}), {twice}, wide, {0}), std::vector<double>(sums.begin(), sums.end()), 0);
}

TEST(Indexing, Nothing) {
  EXPECT_EQ(take(ones({3, 2}), zeros({0}, int32), 0).shape(), (Shape{0, 2}));
  EXPECT_EQ(take_along_axis(ones({3, 2}), zeros({0, 2}, int32), 0).shape(), (Shape{0, 2}));
  expect_close(scatter_add(ones({3}), {zeros({0}, int32)}, zeros({0, 1}), {0}), {1, 1, 1}, 0);
}

TEST(Indexing, Errors) {
  const array a = ones({2, 3});
  EXPECT_EQ(refusal([&] { take(a, indices({0}), 2); }), "[take] axis 2 is out of range for 2 dimensions");
  EXPECT_NE(refusal([&] { take(a, array({0.5f}), 0); }).find("[take]"), std::string::npos);
  EXPECT_NE(refusal([&] { take_along_axis(a, indices({0}), 0); }).find("[take_along_axis]"), std::string::npos);
  EXPECT_NE(refusal([&] { gather(a, indices({0}), 0, {3, 3}); }).find("[gather]"), std::string::npos);
}

TEST(Indexing, Gradients) {
  const array a = random_array({4, 5}, float64, 1), u = random_array({3, 1, 5}, float64, 2);
  using X = const std::vector<array>&;
  const array rows = indices({2, 0, 2});
  expect_gradients([&](X x) { return take(x[0], rows, 0); }, {a});
  expect_gradients([&](X x) { return take(x[0], rows, 1); }, {a});
  const array along = array({0, 1, 2, 1, 1, 3, 0, 0, 0, 2}, {2, 5});
  expect_gradients([&](X x) { return take_along_axis(x[0], along, 0); }, {a});
  expect_gradients([&](X x) { return scatter_add(x[0], {rows}, x[1], {0}); }, {a, u});
  expect_gradients([&](X x) { return scatter(x[0], {indices({2, 0, 1})}, x[1], {0}); }, {a, u});
  const array values = random_array({2, 5}, float64, 3);
  const array distinct = array({0, 1, 2, 1, 1, 3, 0, 0, 0, 2}, {2, 5});
  expect_gradients([&](X x) { return put_along_axis(x[0], distinct, x[1], 0); }, {a, values});
  expect_gradients([&](X x) { return scatter_add_axis(x[0], distinct, x[1], 0); }, {a, values});
}

TEST(Indexing, EmbeddingGradientAddsRepeats) {
  const auto loss = [](const array& w) { return sum(take(w, indices({5, 5, 5, 1}), 0)); };
  const std::vector<double> gradient = doubles(grad(loss)(ones({6, 2})));
  EXPECT_EQ(gradient, (std::vector<double>{0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 3, 3}));
}

TEST(Indexing, IndicesMadeFromTheDifferentiatedValueCarryNone) {
  const auto f = [](const array& w) {
    const array first = slice(argsort(w, 1), {0, 0}, {3, 1});
    return sum(put_along_axis(zeros({3, 3}), first, sum(w, 1, true), 1));
  };
  expect_close(grad(f)(ones({3, 3})), std::vector<double>(9, 1.0), 0);
}

}  // namespace
}  // namespace plimsoll
