// Reductions, argmax and argmin against float64.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "op_test_util.h"

namespace plimsoll {
namespace {

using namespace testing;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

using Values = std::vector<double>;

double total(const Values& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
double product(const Values& v) { return std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<>()); }
double largest(const Values& v) { return *std::max_element(v.begin(), v.end()); }
double smallest(const Values& v) { return *std::min_element(v.begin(), v.end()); }
double average(const Values& v) { return total(v) / static_cast<double>(v.size()); }
double variance(const Values& v) {
  const double mean = average(v);
  double sum = 0;
  for (const double x : v) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(v.size());
}
double every(const Values& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return x != 0; });
}
double some(const Values& v) {
  return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
}

struct Case {
  const char* name;
  array (*op)(const array&, const std::vector<int>&, bool, StreamOrDevice);
  double (*reference)(const Values&);
};
const Case kCases[] = {{"sum", sum, total},     {"max", max, largest}, {"min", min, smallest},
                       {"mean", mean, average}, {"all", all, every},   {"any", any, some}};

// Rounding of the result, and of at most 64 float32 additions in a run.
double tolerance(Dtype dtype) { return 2 * epsilon(dtype) + (dtype == float64 ? 1e-14 : 1e-6); }

TEST(Reduce, EveryDtypeLayoutAndAxes) {
  for (const Dtype dtype : kRealDtypes) {
    for (const Shape& shape : {Shape{1}, Shape{70}, Shape{3, 5}, Shape{37, 70}, Shape{4, 3, 40}, Shape{2, 3, 4, 5}}) {
      const array a = any_array(shape, dtype, 1);
      for (const auto& axes : axis_sets(shape.size())) {
        for (const Case& c : kCases) {
          const Values want = reduce_reference(a, axes, c.reference);
          for (const array& x : all_layouts_of(a)) {
            expect_close(c.op(x, axes, false, {}), want, tolerance(dtype),
                         std::string(c.name) + " of " + std::string(name_of(dtype)));
          }
        }
      }
    }
  }
}

TEST(Reduce, Product) {
  for (const Dtype dtype : kRealDtypes) {
    for (const auto& axes : axis_sets(3)) {
      const array a = where(any_array({3, 5, 40}, bool_, 3), array(1, dtype), array(2, dtype));
      const array small = slice(a, {0, 0, 0}, {2, 3, 40});
      const Values want = reduce_reference(small, axes, product);
      // Up to 240 factors of 2 leave the range of all integers: those are exact modulo their size, here 0.
      if (!is_float(dtype) && axes.size() > 1) continue;
      if (dtype == float16 || dtype == bfloat16) continue;
      if (!is_float(dtype) && dtype.size() < 8) {
        const array one = slice(small, {0, 0, 0}, {2, 3, 20});
        expect_close(prod(one, axes), reduce_reference(one, axes, product), 0, "prod");
      } else if (dtype == float32 && axes.size() == 3) {
        continue;  // beyond float32
      } else {
        expect_close(prod(small, axes), want, 1e-6, "prod");
      }
    }
  }
  EXPECT_EQ(prod(full({32}, array(3))).item<int>(), static_cast<int>(static_cast<uint32_t>(1853020188851841ull)));
}

TEST(Reduce, DtypesOfSums) {
  const std::pair<Dtype, Dtype> expected[] = {{bool_, int32},     {int8, int32},        {int16, int32},
                                              {int32, int32},     {int64, int64},       {uint8, uint32},
                                              {uint16, uint32},   {uint32, uint32},     {uint64, uint64},
                                              {float16, float16}, {bfloat16, bfloat16}, {complex64, complex64}};
  for (const auto& [from, to] : expected) {
    EXPECT_EQ(sum(ones({3}, from)).dtype(), to) << from;
    EXPECT_EQ(prod(ones({3}, from)).dtype(), to) << from;
    EXPECT_EQ(max(ones({3}, from)).dtype(), from);
  }
  EXPECT_EQ(mean(ones({3}, int8)).dtype(), float32);
  EXPECT_EQ(mean(ones({3}, bfloat16)).dtype(), bfloat16);
  EXPECT_EQ(all(ones({3}, int8)).dtype(), bool_);
  EXPECT_EQ(sum(ones({300}, bool_)).item<int>(), 300);
  EXPECT_EQ(sum(full({300}, array(127, int8))).item<int>(), 38100);
}

TEST(Reduce, KeepsDimensions) {
  const array a = ones({2, 3, 4});
  EXPECT_EQ(sum(a, std::vector<int>{0, -1}).shape(), (Shape{3}));
  EXPECT_EQ(sum(a, std::vector<int>{0, -1}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(sum(a, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(sum(a).shape(), Shape{});
  EXPECT_EQ(sum(array(3.0f)).item<float>(), 3.0f);
  EXPECT_EQ(argmax(a, 1, true).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(argmax(a, true).shape(), (Shape{1, 1, 1}));
}

TEST(Reduce, LongSumsStayAccurate) {
  // Each 0.1 is off by 1.5e-9; adding three million of them one by one in float32 would be off by a thousandth.
  const array long_row = full({3000001}, array(0.1f));
  EXPECT_NEAR(sum(long_row).item<float>() / (3000001 * static_cast<double>(0.1f)), 1.0, 3e-7);
  for (const auto& [rows, columns] : {std::pair{200000, 3}, {20000, 40}, {3000, 1500}, {70000, 33}}) {
    const array a = random_array({rows, columns}, float32, 4);
    const Values want = reduce_reference(add(a, array(1.0f)), {0}, total);
    expect_close(sum(add(a, array(1.0f)), 0), want, 2e-7, "columns");
    expect_close(sum(transpose(add(a, array(1.0f))), 1), want, 2e-7, "columns of a transpose");
    expect_close(max(a, 0), reduce_reference(a, {0}, largest), 0, "max of columns");
    expect_close(sum(a), reduce_reference(a, {0, 1}, total), 2e-6, "all");
  }
}

TEST(Reduce, HalfAccumulatesWide) {
  const array a = ones({70000}, float16);
  EXPECT_EQ(sum(a).item<float>(), kInf);
  EXPECT_EQ(mean(a).item<float>(), 1.0f);
  EXPECT_EQ(sum(ones({1000}, bfloat16)).item<float>(), 1000.0f);
  EXPECT_EQ(var(full({70000}, array(300.0f, float16))).item<float>(), 0.0f);
}

TEST(Reduce, MeanOfWideIntegersIsExact) {
  EXPECT_EQ(mean(full({100000}, array(2000000000))).item<float>(), 2e9f);
  EXPECT_EQ(mean(array({1, 2})).item<float>(), 1.5f);
}

TEST(Reduce, Variance) {
  for (const Dtype dtype : kFloatDtypes) {
    const array a = add(random_array({5, 60}, dtype, 9), array(3.0f, dtype));
    expect_close(var(a, 1), reduce_reference(a, {1}, variance), 4 * tolerance(dtype));
    expect_close(std(a, std::vector<int>{0, 1}),
                 reduce_reference(a, {0, 1}, [](const Values& v) { return std::sqrt(variance(v)); }),
                 4 * tolerance(dtype));
  }
  EXPECT_FLOAT_EQ(var(array({1.0f, 2.0f, 4.0f}), false, 1).item<float>(), 7.0f / 3);
  EXPECT_EQ(var(array({5.0f}), false, 1).item<float>() != 0, true);  // NaN: 0 / 0
  EXPECT_FLOAT_EQ(var(array({complex64_t(1, 1), complex64_t(-1, -1)})).item<float>(), 2.0f);
}

TEST(Reduce, Complex) {
  const array a({complex64_t(1, 2), complex64_t(3, -1), complex64_t(3, 5)});
  EXPECT_EQ(sum(a).item<complex64_t>(), complex64_t(7, 6));
  EXPECT_EQ(prod(a).item<complex64_t>(), complex64_t(1, 2) * complex64_t(3, -1) * complex64_t(3, 5));
  EXPECT_EQ(max(a).item<complex64_t>(), complex64_t(3, 5));
  EXPECT_EQ(min(a).item<complex64_t>(), complex64_t(1, 2));
  EXPECT_EQ(argmax(a).item<int>(), 2);
}

TEST(Reduce, NothingAtAll) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 3}}) {
    const array a = zeros(shape);
    EXPECT_EQ(sum(a).item<float>(), 0.0f);
    EXPECT_EQ(prod(a).item<float>(), 1.0f);
    EXPECT_TRUE(all(a).item<bool>());
    EXPECT_FALSE(any(a).item<bool>());
    EXPECT_TRUE(std::isnan(mean(a).item<float>()));
    EXPECT_NE(refusal([&] { max(a); }).find("[max]"), std::string::npos);
    EXPECT_NE(refusal([&] { min(a); }).find("[min]"), std::string::npos);
    EXPECT_NE(refusal([&] { argmax(a); }).find("[argmax]"), std::string::npos);
  }
  expect_close(sum(zeros({3, 0}), 1), {0, 0, 0}, 0);
  EXPECT_EQ(sum(zeros({3, 0}), 0).shape(), (Shape{0}));
  EXPECT_EQ(max(zeros({3, 0}), 0).shape(), (Shape{0}));
  EXPECT_EQ(argmin(zeros({3, 0}), 0).size(), 0u);
}

TEST(Reduce, NaNWinsWhereverItIs) {
  for (const Dtype dtype : kFloatDtypes) {
    for (const int length : {1, 5, 64, 100, 5000, 200001}) {
      for (const int at : {0, length / 2, length - 1}) {
        array a = zeros({length}, dtype);
        a = slice_update(a, array({kNaN}), {at}, {at + 1});
        EXPECT_TRUE(std::isnan(max(a).item<float>())) << length << ' ' << at;
        EXPECT_TRUE(std::isnan(min(a).item<float>()));
        EXPECT_EQ(argmax(a).item<int>(), at);
        EXPECT_EQ(argmin(a).item<int>(), at);
        const array two = stack({a, zeros_like(a)}, 1);
        expect_close(max(two, 0), {NAN, 0}, 0, "columns");
        expect_close(argmax(two, 0), {static_cast<double>(at), 0}, 0, "columns");
      }
    }
  }
  EXPECT_EQ(max(array({-kInf, -kInf})).item<float>(), -kInf);
  EXPECT_EQ(argmax(array({-kInf, -kInf})).item<int>(), 0);
}

TEST(ArgReduce, FirstOfEquals) {
  for (const Dtype dtype : kRealDtypes) {
    for (const Shape& shape : {Shape{9}, Shape{300, 3}, Shape{3, 300}, Shape{5, 7, 6}, Shape{2, 9000}}) {
      const array a = any_array(shape, dtype, 6);
      for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
        const auto first = [](bool of_largest) {
          return [of_largest](const Values& v) {
            const auto found = of_largest ? std::max_element(v.begin(), v.end()) : std::min_element(v.begin(), v.end());
            return static_cast<double>(found - v.begin());
          };
        };
        for (const array& x : all_layouts_of(a)) {
          expect_close(argmax(x, axis), reduce_reference(a, {axis}, first(true)), 0, "argmax");
          expect_close(argmin(x, axis), reduce_reference(a, {axis}, first(false)), 0, "argmin");
        }
      }
    }
  }
  EXPECT_EQ(argmax(ones({1000000})).item<int>(), 0);
  EXPECT_EQ(argmax(array({1, 5, 5, 2})).dtype(), uint32);
}

TEST(Reduce, BroadcastInputs) {
  const array a = broadcast_to(array({1.0f, 2.0f, 3.0f}), {4, 3});
  EXPECT_EQ(sum(a).item<float>(), 24.0f);
  expect_close(sum(a, 0), {4, 8, 12}, 0);
  expect_close(sum(a, 1), {6, 6, 6, 6}, 0);
  EXPECT_EQ(sum(broadcast_to(array(2.0f), {300, 500})).item<float>(), 300000.0f);
}

TEST(Reduce, Errors) {
  const array a = ones({2, 3});
  EXPECT_EQ(refusal([&] { sum(a, 2); }), "[sum] axis 2 is out of range for 2 dimensions");
  EXPECT_EQ(refusal([&] { prod(a, -3); }), "[prod] axis -3 is out of range for 2 dimensions");
  EXPECT_EQ(refusal([&] { mean(a, std::vector<int>{0, -2}); }), "[mean] axis -2 is given twice");
  EXPECT_EQ(refusal([&] { argmax(a, 2); }), "[argmax] axis 2 is out of range for 2 dimensions");
  EXPECT_EQ(refusal([&] { max(zeros({0, 2}), 0); }), "[max] nothing to choose from: shape (0,2)");
}

TEST(Reduce, Gradients) {
  const array a = random_array({3, 4, 5}, float64, 11);
  for (const auto& axes : axis_sets(3)) {
    const auto of = [&](array (*op)(const array&, const std::vector<int>&, bool, StreamOrDevice)) {
      return [&axes, op](const std::vector<array>& x) { return op(x[0], axes, false, {}); };
    };
    expect_gradients(of(sum), {a});
    expect_gradients(of(prod), {a});
    expect_gradients(of(max), {a});
    expect_gradients(of(min), {a});
    expect_gradients(of(mean), {a});
    expect_gradients([&](const std::vector<array>& x) { return var(x[0], axes, true, 1); }, {a});
    expect_gradients([&](const std::vector<array>& x) { return std(x[0], axes); }, {a});
  }
}

TEST(Reduce, GradientOfProductWithZeros) {
  const auto gradient = grad([](const array& x) { return prod(x); });
  expect_close(gradient(array({2.0f, 0.0f, 3.0f})), {0, 6, 0}, 0);
  expect_close(gradient(array({0.0f, 0.0f, 3.0f})), {0, 0, 0}, 0);
}

TEST(Reduce, TiesShareTheGradient) {
  expect_close(grad([](const array& x) { return max(x); })(array({2.0f, 1.0f, 2.0f})), {0.5, 0, 0.5}, 0);
  expect_close(grad([](const array& x) { return min(x); })(array({1.0f, 1.0f, 1.0f, 1.0f})), {0.25, 0.25, 0.25, 0.25},
               0);
}

// The same elements at every offset give the same bits: what is read at once does not show.
TEST(Reduce, EveryElementOffset) {
  for (const Dtype dtype : {bool_, uint8, int16, float16, bfloat16, float32, int64, float64}) {
    const array base = any_array({3 * 67 + 16}, dtype, 21);
    for (int offset = 0; offset < 16; ++offset) {
      const array rows = reshape(slice(base, {offset}, {offset + 3 * 67}), {3, 67});
      const array copy = astype(array(doubles(rows).begin(), {3, 67}, float64), dtype);
      for (const int axis : {0, 1}) {
        expect_matches(sum(rows, axis), sum(copy, axis), 0, "sum");
        expect_matches(max(rows, axis), max(copy, axis), 0, "max");
        expect_matches(argmin(rows, axis), argmin(copy, axis), 0, "argmin");
      }
    }
  }
}

// Axes that do not join, in an order that is not the memory's, long enough to be cut into chunks.
TEST(Reduce, ChunksOfPermutedAxes) {
  const array a = random_array({2, 3, 4, 5000}, float32, 22);
  const array x = transpose(a, {2, 0, 3, 1});
  const auto index = [](const Values& v) {
    return static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
  };
  for (const std::vector<int>& axes : {std::vector<int>{2}, {0, 2}, {2, 3}, {1, 2}}) {
    expect_close(sum(x, axes), reduce_reference(x, axes, total), 1e-5, "sum");  // 20,000 terms
    expect_close(max(x, axes), reduce_reference(x, axes, largest), 0, "max");
  }
  expect_close(argmax(x, 2), reduce_reference(x, {2}, index), 0, "argmax");
}

}  // namespace
}  // namespace plimsoll
