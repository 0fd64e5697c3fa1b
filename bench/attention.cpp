// Attention through the public API, on the device that PLIMSOLL_DEVICE names: prefill (many queries) and decode (one
// query), in the layout of a key/value cache. Every case first checks sampled rows against float64.
//
// Counters: FLOP/s counts two products of 2 * D for each query, head and key that the query sees; bytes/s counts keys
// and values read once.
//
//   PLIMSOLL_DEVICE=vulkan bench_attention --benchmark_filter=float16/prefill_8192
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "benchmark/benchmark.h"

namespace {

using plimsoll::array;
using plimsoll::Dtype;
using plimsoll::ShapeElem;

struct Case {
  const char* name;
  ShapeElem query_heads, kv_heads, queries, keys, dim;
  bool causal;

  ShapeElem visible(ShapeElem query) const { return causal ? keys - queries + query + 1 : keys; }
  double pairs() const {
    const double all = double(queries) * keys;
    return causal ? all - double(queries) * (queries - 1) / 2 : all;
  }
  float scale() const { return 1 / std::sqrt(static_cast<float>(dim)); }
};

constexpr Case kCases[] = {
    {"prefill_512_9x3x64", 9, 3, 512, 512, 64, true},        {"prefill_2048_8x2x128", 8, 2, 2048, 2048, 128, true},
    {"prefill_8192_32x8x128", 32, 8, 8192, 8192, 128, true}, {"full_1024_8x2x128", 8, 2, 1024, 1024, 128, false},
    {"decode_1024_9x3x64", 9, 3, 1, 1024, 64, true},         {"decode_8192_32x8x128", 32, 8, 1, 8192, 128, true}};

// [1, heads, tokens, dim], in memory [1, tokens, heads, dim]. Evenly spread over [-2, 2), from a generator of 64 bits
// (Knuth's constants).
template <typename T>
array random_heads(ShapeElem heads, ShapeElem tokens, ShapeElem dim, Dtype dtype, uint64_t seed) {
  std::vector<T> values(size_t(heads) * tokens * dim);
  uint64_t state = seed;
  for (T& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<T>(static_cast<float>(static_cast<int64_t>(state) >> 40) * 0x1p-22f);
  }
  array heads_first = plimsoll::transpose(array(values.begin(), {1, tokens, heads, dim}, dtype), {0, 2, 1, 3});
  plimsoll::eval(heads_first);
  return heads_first;
}

struct Inputs {
  array q, k, v;
  array attend(const Case& c) const {
    return plimsoll::fast::scaled_dot_product_attention(q, k, v, c.scale(), c.causal ? "causal" : "");
  }
};

template <typename T>
Inputs inputs_of(const Case& c, Dtype dtype, uint64_t seed) {
  return {random_heads<T>(c.query_heads, c.queries, c.dim, dtype, seed),
          random_heads<T>(c.kv_heads, c.keys, c.dim, dtype, seed + 1),
          random_heads<T>(c.kv_heads, c.keys, c.dim, dtype, seed + 2)};
}

template <typename T>
double at(const array& a, int64_t head, int64_t row, int64_t column) {
  return static_cast<double>(float(a.data<T>()[head * a.strides(1) + row * a.strides(2) + column * a.strides(3)]));
}

// The weights of one query, in float64.
template <typename T>
std::vector<double> weights_of(const Case& c, const Inputs& in, ShapeElem head, ShapeElem query) {
  const ShapeElem kv_head = head / (c.query_heads / c.kv_heads);
  std::vector<double> weights(static_cast<size_t>(c.visible(query)));
  for (size_t j = 0; j < weights.size(); ++j) {
    double dot = 0;
    for (ShapeElem d = 0; d < c.dim; ++d) dot += at<T>(in.q, head, query, d) * at<T>(in.k, kv_head, int64_t(j), d);
    weights[j] = dot * static_cast<double>(c.scale());
  }
  const double top = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - top);
  for (double& weight : weights) weight /= total;
  return weights;
}

// The largest error of a query's output, in units of what rounding allows: of the result, of each weight
// (independently: as a random walk of their squares, with room for four standard deviations), and of float32 sums.
template <typename T>
double row_error(const Case& c, const Inputs& in, const array& out, ShapeElem head, ShapeElem query) {
  const double rounding = sizeof(T) == 4 ? 0x1p-24 : std::is_same_v<T, plimsoll::float16_t> ? 0x1p-11 : 0x1p-8;
  const ShapeElem kv_head = head / (c.query_heads / c.kv_heads);
  const std::vector<double> weights = weights_of<T>(c, in, head, query);
  double worst = 0;
  for (ShapeElem d = 0; d < c.dim; ++d) {
    double expected = 0, squares = 0;
    for (size_t j = 0; j < weights.size(); ++j) {
      const double term = weights[j] * at<T>(in.v, kv_head, int64_t(j), d);
      expected += term;
      squares += term * term;
    }
    const double allowed = rounding * (std::abs(expected) + 4 * std::sqrt(squares)) + 0x1p-18;
    worst = std::max(worst, std::abs(at<T>(out, head, query, d) - expected) / allowed);
  }
  return worst;
}

template <typename T>
double sampled_error(const Case& c, const Inputs& in, const array& out) {
  double worst = 0;
  for (ShapeElem i = 0; i < 16; ++i) {
    const ShapeElem head = i * 7 % c.query_heads, query = i == 0 ? c.queries - 1 : i * 7919 % c.queries;
    worst = std::max(worst, row_error<T>(c, in, out, head, query));
  }
  return worst;
}

template <typename T>
void run_typed(benchmark::State& state, const Case& c, Dtype dtype) {
  // Decode reads operands that no cache holds, as the layers of a model do.
  const double bytes = 2.0 * c.kv_heads * c.keys * c.dim * sizeof(T);
  std::vector<Inputs> inputs;
  const int copies = c.queries > 1 ? 1 : std::clamp(static_cast<int>(256e6 / bytes) + 1, 1, 16);
  for (int i = 0; i < copies; ++i) inputs.push_back(inputs_of<T>(c, dtype, 3 * i + 1));
  array first = inputs[0].attend(c);
  plimsoll::eval(first);
  const double error = sampled_error<T>(c, inputs[0], first);
  if (!(error <= 1.0)) return state.SkipWithError(("error of " + std::to_string(error) + " times the bound").c_str());
  // Enough work an evaluation that its start and end do not count.
  const double flops = 4.0 * c.pairs() * c.query_heads * c.dim;
  const int calls = static_cast<int>(std::clamp(1e12 / flops, 2.0, 64.0));
  for (auto _ : state) {
    std::vector<array> outputs;
    for (int i = 0; i < calls; ++i) outputs.push_back(inputs[i % inputs.size()].attend(c));
    plimsoll::eval(outputs);
  }
  using Counter = benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops * calls, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["bytes/s"] = Counter(bytes * calls, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["error"] = error;
}

void run(benchmark::State& state, const Case& c, Dtype dtype) {
  if (dtype == plimsoll::float32) return run_typed<float>(state, c, dtype);
  if (dtype == plimsoll::float16) return run_typed<plimsoll::float16_t>(state, c, dtype);
  run_typed<plimsoll::bfloat16_t>(state, c, dtype);
}

void register_cases() {
  const Dtype dtypes[] = {plimsoll::float32, plimsoll::float16, plimsoll::bfloat16};
  const char* names[] = {"float32", "float16", "bfloat16"};
  for (int d = 0; d < 3; ++d) {
    for (const Case& c : kCases) {
      const std::string name = std::string(names[d]) + "/" + c.name;
      benchmark::RegisterBenchmark(name.c_str(), [&c, dtype = dtypes[d]](benchmark::State& state) {
        run(state, c, dtype);
      })->UseRealTime();
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
