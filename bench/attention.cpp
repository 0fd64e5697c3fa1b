// Attention on the CPU: prefill (many queries) and decode (one query), in the layout of a key/value cache.
//
// Counters: FLOPS counts two products of 2 * L * S * D per head (half of that under a causal mask); bytes_per_second
// counts keys and values read once.
#include <cmath>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "cpu/attention_kernel.h"

namespace {

using plimsoll::Dtype;
using plimsoll::cpu::Attention;

struct Shape {
  int64_t query_heads, kv_heads, queries, keys, dim;
  bool causal;
};

template <typename T>
void run(benchmark::State& state, Shape s) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto filled = [&](int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = T(normal(random));
    return values;
  };
  const auto q = filled(s.query_heads * s.queries * s.dim);
  const auto k = filled(s.kv_heads * s.keys * s.dim), v = filled(s.kv_heads * s.keys * s.dim);
  std::vector<T> out(q.size());

  Attention problem;
  problem.dtype = plimsoll::TypeToDtype<T>();
  problem.batch = 1, problem.query_heads = s.query_heads, problem.kv_heads = s.kv_heads;
  problem.queries = s.queries, problem.keys = s.keys, problem.dim = problem.value_dim = s.dim;
  problem.scale = 1 / std::sqrt(static_cast<double>(s.dim)), problem.causal = s.causal;
  const int64_t row = s.kv_heads * s.dim;
  problem.q = {reinterpret_cast<const std::byte*>(q.data()), {0, s.dim, s.query_heads * s.dim, 1}};
  problem.k = {reinterpret_cast<const std::byte*>(k.data()), {0, s.dim, row, 1}};
  problem.v = {reinterpret_cast<const std::byte*>(v.data()), {0, s.dim, row, 1}};
  problem.out = reinterpret_cast<std::byte*>(out.data());
  problem.out_strides[1] = s.queries * s.dim, problem.out_strides[2] = s.dim;
  std::vector<std::byte> scratch(plimsoll::cpu::attention_scratch_bytes(problem));

  for (auto _ : state) {
    plimsoll::cpu::attention(problem, scratch);
    benchmark::ClobberMemory();
  }
  const double pairs = static_cast<double>(s.queries) * static_cast<double>(s.keys) * (s.causal ? 0.5 : 1.0);
  const double flops = 4 * pairs * static_cast<double>(s.query_heads * s.dim);
  state.counters["FLOPS"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(2 * k.size() * sizeof(T)));
}

constexpr Shape kPrefillSmall{9, 3, 512, 512, 64, true};
constexpr Shape kPrefill{8, 2, 2048, 2048, 128, true};
constexpr Shape kPrefillFull{8, 2, 1024, 1024, 128, false};
constexpr Shape kDecodeSmall{9, 3, 1, 1024, 64, true};
constexpr Shape kDecode{32, 8, 1, 8192, 128, true};

void attention_float32(benchmark::State& state, Shape s) { run<float>(state, s); }
void attention_float16(benchmark::State& state, Shape s) { run<plimsoll::float16_t>(state, s); }
void attention_bfloat16(benchmark::State& state, Shape s) { run<plimsoll::bfloat16_t>(state, s); }

#define PLIMSOLL_BENCH(name)                                                 \
  BENCHMARK_CAPTURE(name, prefill_512_9x3x64, kPrefillSmall)->UseRealTime(); \
  BENCHMARK_CAPTURE(name, prefill_2048_8x2x128, kPrefill)->UseRealTime();    \
  BENCHMARK_CAPTURE(name, full_1024_8x2x128, kPrefillFull)->UseRealTime();   \
  BENCHMARK_CAPTURE(name, decode_1024_9x3x64, kDecodeSmall)->UseRealTime();  \
  BENCHMARK_CAPTURE(name, decode_8192_32x8x128, kDecode)->UseRealTime();

PLIMSOLL_BENCH(attention_float32)
PLIMSOLL_BENCH(attention_bfloat16)
PLIMSOLL_BENCH(attention_float16)

}  // namespace
