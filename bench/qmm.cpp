// Quantized and dense products at the shapes of SmolLM2-135M, with oneDNN's float32 product on widened weights beside
// them.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "cpu/quantized/weights.h"
#include "graph/ops/block_format.h"
#ifndef PLIMSOLL_OWN_THREADS
#include <dnnl.h>

#include "base/parallel.h"
#endif

namespace plimsoll::cpu {
namespace {

struct Free {
  void operator()(void* p) const { std::free(p); }
};
using Scratch = std::unique_ptr<std::byte, Free>;
Scratch scratch_of(size_t bytes) {
  return Scratch(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 64) / 64 * 64)));
}

// Random blocks whose float16 fields are ordinary numbers.
std::vector<uint8_t> random_blocks(BlockFormat format, int64_t values) {
  const BlockLayout layout = block_layout(format);
  std::vector<uint8_t> bytes(values / layout.values * layout.bytes);
  std::mt19937 random(1);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() & 0x2f);
  return bytes;
}

std::vector<float> random_floats(int64_t count) {
  std::vector<float> values(count);
  std::mt19937 random(2);
  for (float& value : values) value = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  return values;
}

void count_work(benchmark::State& state, int64_t M, int64_t N, int64_t K, double weight_bytes) {
  using Counter = benchmark::Counter;
  state.counters["FLOP/s"] = Counter(2.0 * M * N * K, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["bytes/s"] = Counter(weight_bytes, Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

// Arguments: M, N, K, format.
void quantized_rows(benchmark::State& state) {
  const int64_t M = state.range(0), N = state.range(1), K = state.range(2);
  const auto format = static_cast<BlockFormat>(state.range(3));
  const BlockLayout layout = block_layout(format);
  const std::vector<uint8_t> bytes = random_blocks(format, N * K);
  const std::vector<float> x = random_floats(M * K);
  std::vector<float> y(M * N);
  const quantized::BlockWeightRows w({bytes.data(), format, N, K, K / layout.values * layout.bytes});
  const Scratch scratch = scratch_of(weight_product_scratch_bytes(M, N, K));
  for (auto _ : state) {
    multiply_weights(w, {M, {x.data(), float32, K, 1}, y.data(), float32, N}, scratch.get());
    benchmark::DoNotOptimize(y.data());
  }
  state.SetLabel(std::string(block_format_name(format)));
  count_work(state, M, N, K, static_cast<double>(bytes.size()));
}

// Arguments: M, N, K. x @ w.T in float32.
void dense(benchmark::State& state) {
  const int64_t M = state.range(0), N = state.range(1), K = state.range(2);
  const std::vector<float> x = random_floats(M * K), w = random_floats(N * K);
  std::vector<float> y(M * N);
  const Gemm g{M, N, K, {x.data(), float32, K, 1}, {w.data(), float32, 1, K}, y.data(), float32, N};
  const Scratch scratch = scratch_of(gemm_scratch_bytes(g));
  for (auto _ : state) {
    gemm(g, scratch.get());
    benchmark::DoNotOptimize(y.data());
  }
  count_work(state, M, N, K, 4.0 * static_cast<double>(N * K));
}

#ifndef PLIMSOLL_OWN_THREADS
void onednn(benchmark::State& state) {
  const int64_t M = state.range(0), N = state.range(1), K = state.range(2);
  const std::vector<float> x = random_floats(M * K), w = random_floats(N * K);
  std::vector<float> y(M * N);
  const base::TeamLock team;
  for (auto _ : state) {
    dnnl_sgemm('N', 'T', M, N, K, 1.0f, x.data(), K, w.data(), K, 0.0f, y.data(), N);
    benchmark::DoNotOptimize(y.data());
  }
  count_work(state, M, N, K, 4.0 * static_cast<double>(N * K));
}
#endif

constexpr int64_t kShapes[][2] = {{576, 576}, {192, 576}, {1536, 576}, {576, 1536}, {49152, 576}};

void decode_shapes(benchmark::internal::Benchmark* b) {
  for (const auto& [N, K] : kShapes) {
    for (const auto format : {BlockFormat::Q4_0, BlockFormat::Q4_1, BlockFormat::Q5_1, BlockFormat::Q8_0}) {
      b->Args({1, N, K, static_cast<int64_t>(format)});
    }
  }
  for (const auto format : {BlockFormat::Q4_K, BlockFormat::Q5_K, BlockFormat::Q6_K}) {
    b->Args({1, 4096, 4096, static_cast<int64_t>(format)});
  }
  for (const int64_t M : {2, 4, 8}) b->Args({M, 1536, 576, static_cast<int64_t>(BlockFormat::Q4_1)});
}

void prefill_shapes(benchmark::internal::Benchmark* b) {
  for (const auto& [N, K] : kShapes) {
    for (const int64_t M : {64, 256, 512}) {
      if (N < 10000 || M == 64) b->Args({M, N, K, static_cast<int64_t>(BlockFormat::Q4_1)});
    }
  }
}

void dense_shapes(benchmark::internal::Benchmark* b) {
  for (const auto& [N, K] : kShapes) {
    for (const int64_t M : {1, 64, 256, 512}) {
      if (N < 10000 || M <= 64) b->Args({M, N, K});
    }
  }
  b->Args({2048, 2048, 2048});
}

BENCHMARK(quantized_rows)->Name("quantized/decode")->Apply(decode_shapes)->UseRealTime();
BENCHMARK(quantized_rows)->Name("quantized/prefill")->Apply(prefill_shapes)->UseRealTime();
BENCHMARK(dense)->Apply(dense_shapes)->UseRealTime();
#ifndef PLIMSOLL_OWN_THREADS
BENCHMARK(onednn)->Apply(dense_shapes)->UseRealTime();
#endif

}  // namespace
}  // namespace plimsoll::cpu
