#include "cpu/gemm.h"

#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "base/parallel.h"
#include "cpu/target_test_util.h"
#include "gtest/gtest.h"

namespace plimsoll::cpu {
namespace {

// How a matrix [rows, columns] lies in memory.
enum class Order { kRows, kColumns, kGaps, kReversed, kBroadcast };

template <typename T>
struct Matrix {
  std::vector<T> memory;
  MatrixView view;

  Matrix(int64_t rows, int64_t columns, Order order, uint32_t seed) : memory((2 * rows + 1) * (2 * columns + 1)) {
    std::mt19937 random(seed);
    for (T& value : memory) value = static_cast<T>(static_cast<float>(random() % 17) - 8.0f);
    view = {memory.data(), TypeToDtype<T>(), columns, 1};
    if (order == Order::kColumns) view = {memory.data(), TypeToDtype<T>(), 1, rows};
    if (order == Order::kGaps) view = {memory.data() + 1, TypeToDtype<T>(), 2 * columns, 2};
    if (order == Order::kReversed) view = {memory.data() + rows * columns - 1, TypeToDtype<T>(), -columns, -1};
    if (order == Order::kBroadcast) view = {memory.data(), TypeToDtype<T>(), 0, 1};
  }
  T at(int64_t i, int64_t j) const {
    return static_cast<const T*>(view.data)[i * view.row_stride + j * view.column_stride];
  }
};

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, complex64_t>, std::complex<double>, double>;

template <typename T>
std::vector<T> run(Gemm g) {
  const T filler = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T(99);
  std::vector<T> out(g.M * g.N, filler);
  g.out = out.data();
  g.out_dtype = TypeToDtype<T>();
  g.out_stride = g.N;
  const size_t bytes = gemm_scratch_bytes(g);
  std::vector<std::byte> scratch(bytes + 64);
  void* aligned = scratch.data();
  size_t room = scratch.size();
  std::align(64, bytes, aligned, room);
  gemm(g, aligned);
  return out;
}

// Entries are small integers, so that every sum here is exact in float32 and results are compared for equality.
template <typename T>
void check(int64_t M, int64_t N, int64_t K, Order a_order, Order b_order) {
  const Matrix<T> a(M, K, a_order, 1), b(K, N, b_order, 2);
  const std::vector<T> out = run<T>({M, N, K, a.view, b.view});
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t n = 0; n < N; ++n) {
      Wide<T> sum(0);
      for (int64_t k = 0; k < K; ++k) sum += static_cast<Wide<T>>(a.at(m, k)) * static_cast<Wide<T>>(b.at(k, n));
      ASSERT_EQ(out[m * N + n], static_cast<T>(sum))
          << M << "x" << N << "x" << K << " orders " << static_cast<int>(a_order) << " " << static_cast<int>(b_order)
          << " at " << m << "," << n;
    }
  }
}

template <typename T>
void check_shapes() {
  constexpr Order kOrders[] = {Order::kRows, Order::kColumns, Order::kGaps, Order::kReversed, Order::kBroadcast};
  constexpr int64_t kShapes[][3] = {{1, 1, 1},   {1, 40, 33},  {3, 65, 7},  {9, 17, 70},
                                    {33, 5, 64}, {37, 50, 19}, {64, 96, 35}};
  // Every order of a meets every order of b, spread over the shapes.
  for (size_t pair = 0; pair < 25; ++pair) {
    for (size_t shape = pair % 3; shape < std::size(kShapes); shape += 3) {
      const auto& [M, N, K] = kShapes[shape];
      check<T>(M, N, K, kOrders[pair / 5], kOrders[pair % 5]);
    }
  }
}

TEST(Gemm, Float32OfAnyShapeAndLayout) { for_each_target(check_shapes<float>); }
TEST(Gemm, Float64OfAnyShapeAndLayout) { for_each_target(check_shapes<double>); }
TEST(Gemm, Float16OfAnyShapeAndLayout) { for_each_target(check_shapes<float16_t>); }
TEST(Gemm, Bfloat16OfAnyShapeAndLayout) { for_each_target(check_shapes<bfloat16_t>); }
TEST(Gemm, Int32OfAnyShapeAndLayout) { check_shapes<int32_t>(); }
TEST(Gemm, Complex64OfAnyShapeAndLayout) { check_shapes<complex64_t>(); }

TEST(Gemm, IntegersWrapAround) {
  const int8_t a = 100;
  const uint64_t b = uint64_t{1} << 63;
  EXPECT_EQ(run<int8_t>({1, 1, 1, {&a, int8, 1, 1}, {&a, int8, 1, 1}})[0], static_cast<int8_t>(10000));
  EXPECT_EQ(run<uint64_t>({1, 1, 1, {&b, uint64, 1, 1}, {&b, uint64, 1, 1}})[0], 0u);
}

TEST(Gemm, NothingToSumGivesZerosOrTheAddend) {
  const std::vector<float> ones(6, 1.0f);
  Gemm g{2, 3, 0, {nullptr, float32, 0, 1}, {nullptr, float32, 3, 1}};
  EXPECT_EQ(run<float>(g), std::vector<float>(6, 0.0f));
  g.addend = {ones.data(), float32, 3, 1};
  g.beta = 2.0f;
  EXPECT_EQ(run<float>(g), std::vector<float>(6, 2.0f));
}

TEST(Gemm, AppliesFractionalAlphaAndBetaToHalfPrecision) {
  std::vector<float16_t> a;
  for (int i = 0; i < 6; ++i) a.push_back(float16_t(i));
  const float16_t one(1);
  const Gemm g{2, 2,    3,    {a.data(), float16, 3, 1}, {a.data(), float16, 1, 3}, nullptr, float16,
               2, 0.7f, 1.3f, {&one, float16, 0, 0}};
  const std::vector<float16_t> out = run<float16_t>(g);
  const float expected[] = {4.8f, 11.1f, 11.1f, 36.3f};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 0.05f);
}

TEST(Gemm, KeepsInfinitiesAndNaN) {
  for_each_target([] {
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> a(20 * 3, 1.0f), b(3 * 40, 1.0f);
    a[3] = infinity;
    b[41] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> out = run<float>({20, 40, 3, {a.data(), float32, 3, 1}, {b.data(), float32, 40, 1}});
    EXPECT_EQ(out[0], 3.0f);
    EXPECT_TRUE(std::isnan(out[1]));
    EXPECT_EQ(out[40], infinity);
  });
}

// Lanes beyond the second-level cache meet panels of more rows.
TEST(Gemm, LargeOperands) {
  check<float>(150, 530, 600, Order::kRows, Order::kColumns);
  check<float>(530, 150, 600, Order::kRows, Order::kRows);
  check<double>(150, 280, 600, Order::kRows, Order::kColumns);
}

TEST(Gemm, ResultsDoNotDependOnTheThreadCount) {
  const Matrix<float> a(70, 130, Order::kRows, 5), b(130, 90, Order::kColumns, 6);
  std::vector<float> x(a.memory), w(b.memory);
  for (float& value : x) value = std::sin(value);
  for (float& value : w) value = std::cos(3 * value);
  const Gemm g{70, 90, 130, {x.data(), float32, 130, 1}, {w.data(), float32, 1, 130}};
  base::set_num_threads(1);
  const std::vector<float> alone = run<float>(g);
  base::set_num_threads(3);
  EXPECT_EQ(run<float>(g), alone);
  base::set_num_threads(0);
}

}  // namespace
}  // namespace plimsoll::cpu
