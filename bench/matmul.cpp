// Matrix products through the public API, on the device that PLIMSOLL_DEVICE names. Every case first checks sampled
// outputs against float64 sums, then times products whose operands rotate, so that no cache holds a small case's
// matrix. PLIMSOLL_MATMUL_TILE picks a tile on GPUs (gpu/families/matmul_tiles.h).
//
//   PLIMSOLL_DEVICE=vulkan bench_matmul --benchmark_filter=float16
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "benchmark/benchmark.h"

namespace {

using plimsoll::array;
using plimsoll::Dtype;
using plimsoll::ShapeElem;

// b is [N, K] and turned, as a linear layer's weights, or [K, N].
enum class Weights { kColumns, kRows };

struct Case {
  ShapeElem M, K, N;
  Dtype dtype;
  Weights weights;
};

// Evenly spread over [-1, 1), from a generator of 64 bits (Knuth's constants).
template <typename T>
std::vector<T> random_values(size_t count, uint64_t seed) {
  std::vector<T> values(count);
  uint64_t state = seed;
  for (T& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<T>(static_cast<float>(static_cast<int64_t>(state) >> 40) * 0x1p-23f);
  }
  return values;
}

double product_at(const array& a, const array& b, int64_t m, int64_t n, ShapeElem K, auto as_double) {
  double sum = 0;
  for (int64_t k = 0; k < K; ++k) {
    sum += as_double(a, m * a.strides(0) + k * a.strides(1)) * as_double(b, k * b.strides(0) + n * b.strides(1));
  }
  return sum;
}

// The largest error of 64 sampled outputs, in units of what float32 sums and one rounding of the dtype may give.
template <typename T>
double sampled_error(const Case& c, const array& a, const array& b, const array& out) {
  const auto as_double = [](const array& x, int64_t at) { return static_cast<double>(float(x.data<T>()[at])); };
  const double rounding = c.dtype == plimsoll::float16 ? 0x1p-11 : c.dtype == plimsoll::bfloat16 ? 0x1p-8 : 0x1p-24;
  double worst = 0;
  for (int64_t i = 0; i < 64; ++i) {
    const int64_t m = i == 0 ? c.M - 1 : i * 7919 % c.M, n = i == 0 ? c.N - 1 : i * 104729 % c.N;
    const double expected = product_at(a, b, m, n, c.K, as_double);
    // K additions to partial sums of about sqrt(K) / 3 err like a random walk: by about K / 6 units of 2^-24.
    const double allowed = rounding * std::abs(expected) + 0x1p-24 * static_cast<double>(c.K);
    worst = std::max(worst, std::abs(as_double(out, m * c.N + n) - expected) / allowed);
  }
  return worst;
}

template <typename T>
struct Operands {
  array a, b;

  Operands(const Case& c, uint64_t seed)
      : a(random_values<T>(size_t(c.M) * c.K, seed).begin(), {c.M, c.K}, c.dtype),
        b(random_values<T>(size_t(c.K) * c.N, seed + 1).begin(),
          c.weights == Weights::kRows ? plimsoll::Shape{c.K, c.N} : plimsoll::Shape{c.N, c.K}, c.dtype) {
    if (c.weights == Weights::kColumns) b = plimsoll::swapaxes(b, 0, 1);
    plimsoll::eval(a, b);
  }
};

template <typename T>
void run_typed(benchmark::State& state, const Case& c) {
  constexpr double kCacheBytes = 256e6;  // more than any cache holds
  const double bytes = (double(c.M) * c.K + double(c.K) * c.N + double(c.M) * c.N) * c.dtype.size();
  std::vector<Operands<T>> operands;
  for (int i = 0; i < std::clamp<int>(int(kCacheBytes / bytes) + 1, 1, 8); ++i) operands.emplace_back(c, 2 * i + 1);
  array first = plimsoll::matmul(operands[0].a, operands[0].b);
  plimsoll::eval(first);
  const double error = sampled_error<T>(c, operands[0].a, operands[0].b, first);
  if (!(error <= 1.0)) return state.SkipWithError(("error of " + std::to_string(error) + " times the bound").c_str());
  // Enough products an evaluation that its start and end do not count.
  const double flops = 2.0 * c.M * c.K * c.N;
  const int products = static_cast<int>(std::clamp(2e12 / flops, 2.0, 64.0));
  for (auto _ : state) {
    std::vector<array> outputs;
    for (int i = 0; i < products; ++i) {
      const Operands<T>& next = operands[i % operands.size()];
      outputs.push_back(plimsoll::matmul(next.a, next.b));
    }
    plimsoll::eval(outputs);
  }
  using Counter = benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops * products, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["bytes/s"] = Counter(bytes * products, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["error"] = error;
}

void run(benchmark::State& state, const Case& c) {
  if (c.dtype == plimsoll::float32) return run_typed<float>(state, c);
  if (c.dtype == plimsoll::float16) return run_typed<plimsoll::float16_t>(state, c);
  run_typed<plimsoll::bfloat16_t>(state, c);
}

void register_cases() {
  const Dtype dtypes[] = {plimsoll::float32, plimsoll::float16, plimsoll::bfloat16};
  const char* names[] = {"float32", "float16", "bfloat16"};
  const ShapeElem sizes[][3] = {{8192, 8192, 8192}, {4096, 4096, 4096}, {1024, 1024, 1024}, {512, 4096, 12288},
                                {128, 65536, 128},  {64, 4096, 12288},  {16, 4096, 12288},  {8, 4096, 12288},
                                {4, 4096, 12288},   {1, 4096, 12288},   {1, 12288, 4096},   {1, 4096, 4096},
                                {1, 576, 1536}};
  for (int d = 0; d < 3; ++d) {
    for (const auto& [M, K, N] : sizes) {
      for (const Weights weights : {Weights::kColumns, Weights::kRows}) {
        const std::string name = std::string(names[d]) + "/" + std::to_string(M) + "x" + std::to_string(K) + "x" +
                                 std::to_string(N) + (weights == Weights::kColumns ? "/turned" : "/plain");
        benchmark::RegisterBenchmark(name.c_str(), [=, dtype = dtypes[d]](benchmark::State& state) {
          run(state, {M, K, N, dtype, weights});
        })->UseRealTime();
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  register_cases();
  benchmark::RunSpecifiedBenchmarks();
}
