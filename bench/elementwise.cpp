// Element-by-element operations through the public API, on the device that PLIMSOLL_DEVICE names: bytes read and
// written a second, beside the copy rate of the same device. Operands rotate over about 1 GiB, so that no cache holds
// them.
//
//   PLIMSOLL_DEVICE=vulkan bench_elementwise --benchmark_filter=float16
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"
#include "benchmark/benchmark.h"

namespace {

using namespace plimsoll;

constexpr ShapeElem kColumns = 4096;
constexpr size_t kRotated = size_t{1} << 30;  // bytes

struct Operands {
  const array& a;  // [rows, kColumns]
  const array& b;
  const array& row;     // [kColumns]
  const array& scalar;  // []
};

// `bytes`: moved for each element of the result.
struct Case {
  const char* name;
  std::function<array(const Operands&)> op;
  double bytes;
};

std::vector<Case> cases_of(Dtype dtype) {
  const double item = size_of(dtype);
  const Dtype other = size_of(dtype) == 4 ? float16 : float32;
  const auto square_of = [](const array& x) { return slice(x, {0, 0}, {kColumns, kColumns}); };
  return {
      {"copy", [](const Operands& o) { return contiguous(slice(o.a, {0, 0}, {o.a.shape(0), kColumns - 8})); },
       2 * item},
      {"negative", [](const Operands& o) { return negative(o.a); }, 2 * item},
      {"add", [](const Operands& o) { return add(o.a, o.b); }, 3 * item},
      {"add_row", [](const Operands& o) { return add(o.a, o.row); }, 2 * item},
      {"add_scalar", [](const Operands& o) { return add(o.a, o.scalar); }, 2 * item},
      {"add_transposed", [=](const Operands& o) { return add(square_of(o.a), swapaxes(square_of(o.b), 0, 1)); },
       3 * item},
      {"cast", [=](const Operands& o) { return astype(o.a, other); }, item + size_of(other)},
      {"exp", [](const Operands& o) { return exp(o.a); }, 2 * item},
      {"erf", [](const Operands& o) { return erf(o.a); }, 2 * item},
      {"sin", [](const Operands& o) { return sin(o.a); }, 2 * item},
      {"swiglu", [](const Operands& o) { return fast::swiglu(o.a, o.b); }, 3 * item},
      {"greater", [](const Operands& o) { return greater(o.a, o.b); }, 2 * item + 1},
      {"where", [](const Operands& o) { return where(greater(o.a, o.b), o.a, o.b); }, 5 * item + 2},
  };
}

void run(benchmark::State& state, const Case& c, Dtype dtype) {
  const auto rows = static_cast<ShapeElem>(state.range(0));
  const size_t bytes = static_cast<size_t>(rows) * kColumns * size_of(dtype);
  const size_t count = std::max<size_t>(2, kRotated / bytes);
  std::vector<array> operands;
  for (size_t i = 0; i < count; ++i) {
    operands.push_back(full({rows, kColumns}, array(0.125f * static_cast<float>(i), dtype)));
  }
  const array row = full({kColumns}, array(0.5f, dtype));
  const array scalar(0.25f, dtype);
  eval(operands);
  eval(row, c.op({operands[0], operands[1], row, scalar}));
  constexpr size_t kBatch = 8;  // operations on their way at a time
  size_t next = 0;
  double elements = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < kBatch; ++i, next += 2) {
      array out = c.op({operands[next % count], operands[(next + 1) % count], row, scalar});
      elements += static_cast<double>(out.size());
      async_eval(out);
    }
    synchronize();
  }
  state.counters["GB/s"] = benchmark::Counter(elements * c.bytes * 1e-9, benchmark::Counter::kIsRate);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const Case& c : cases_of(dtype)) {
      const std::string name = std::string(c.name) + '/' + std::string(name_of(dtype));
      benchmark::RegisterBenchmark(name.c_str(), [c, dtype](benchmark::State& state) { run(state, c, dtype); })
          ->Arg(16384)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
