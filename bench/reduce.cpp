// Reductions, scans and sorting on the CPU through the public API. bytes_per_second counts the input read once.
#include <functional>

#include "plimsoll/ops.h"
#include "plimsoll/random.h"
#include "plimsoll/transforms.h"
#include "benchmark/benchmark.h"

namespace {

using plimsoll::array;
using plimsoll::Dtype;
using plimsoll::Shape;

void run(benchmark::State& state, const Shape& shape, Dtype dtype, const std::function<array(const array&)>& op) {
  array x = plimsoll::astype(plimsoll::random::normal(shape, plimsoll::random::key(1)), dtype);
  plimsoll::eval(x);
  for (auto _ : state) {
    array y = op(x);
    plimsoll::eval(y);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(x.nbytes()));
}

const Shape kVector{1 << 24};
const Shape kMatrix{4096, 4096};

BENCHMARK_CAPTURE(run, sum_all_f32, kVector, plimsoll::float32, [](const array& x) { return sum(x); })->UseRealTime();
BENCHMARK_CAPTURE(run, sum_all_bf16, kVector, plimsoll::bfloat16, [](const array& x) { return sum(x); })->UseRealTime();
BENCHMARK_CAPTURE(run, sum_rows, kMatrix, plimsoll::float32, [](const array& x) { return sum(x, 1); })->UseRealTime();
BENCHMARK_CAPTURE(run, sum_columns, kMatrix, plimsoll::float32, [](const array& x) {
  return sum(x, 0);
})->UseRealTime();
BENCHMARK_CAPTURE(run, sum_short_rows, Shape({1 << 18, 64}), plimsoll::float32, [](const array& x) {
  return sum(x, 1);
})->UseRealTime();
BENCHMARK_CAPTURE(run, sum_tiny_rows, Shape({1 << 20, 8}), plimsoll::float32, [](const array& x) {
  return sum(x, 1);
})->UseRealTime();
BENCHMARK_CAPTURE(run, max_all, kVector, plimsoll::float32, [](const array& x) { return max(x); })->UseRealTime();
BENCHMARK_CAPTURE(run, argmax_logits, Shape({1, 151936}), plimsoll::float32, [](const array& x) {
  return argmax(x, 1);
})->UseRealTime();
BENCHMARK_CAPTURE(run, argmax_columns, kMatrix, plimsoll::float32, [](const array& x) {
  return argmax(x, 0);
})->UseRealTime();
BENCHMARK_CAPTURE(run, cumsum, kVector, plimsoll::float32, [](const array& x) { return cumsum(x, 0); })->UseRealTime();
BENCHMARK_CAPTURE(run, cumsum_columns, kMatrix, plimsoll::float32, [](const array& x) {
  return cumsum(x, 0);
})->UseRealTime();
BENCHMARK_CAPTURE(run, argsort, Shape({1 << 20}), plimsoll::float32, [](const array& x) {
  return argsort(x, 0);
})->UseRealTime();
BENCHMARK_CAPTURE(run, sort_rows, Shape({1 << 14, 64}), plimsoll::float32, [](const array& x) {
  return sort(x, 1);
})->UseRealTime();
BENCHMARK_CAPTURE(run, topk_logits, Shape({1, 151936}), plimsoll::float32, [](const array& x) {
  return topk(x, 40, 1);
})->UseRealTime();
BENCHMARK_CAPTURE(run, random_normal, Shape({1 << 22}), plimsoll::float32, [](const array& x) {
  return plimsoll::random::normal(x.shape(), plimsoll::random::key(2));
})->UseRealTime();

}  // namespace
