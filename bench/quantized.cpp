// Quantized products through the public API, on the device that PLIMSOLL_DEVICE names. Every case is first checked
// against a product with the widened weights, then timed over weights that rotate, so that no cache holds them.
//
//   PLIMSOLL_DEVICE=vulkan bench_quantized --benchmark_filter='affine4.*/1x'
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plimsoll/ops.h"
#include "plimsoll/quantized.h"
#include "plimsoll/transforms.h"
#include "benchmark/benchmark.h"

namespace {

using namespace plimsoll;

// Weights of MLX's affine form (`bits`, in groups of 64) or in a block format; x [M, K], w [N, K].
struct Case {
  int bits = 0;
  std::optional<BlockFormat> format;
  ShapeElem M, K, N;
  Dtype dtype;
};

constexpr int kGroup = 64;

// Bytes from a generator of 64 bits (Knuth's constants). `mask` keeps the float16 fields of blocks ordinary numbers.
std::vector<uint8_t> random_bytes(size_t count, uint64_t seed, uint8_t mask) {
  std::vector<uint8_t> bytes(count);
  uint64_t state = seed;
  for (uint8_t& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<uint8_t>(state >> 56) & mask;
  }
  return bytes;
}

struct Weights {
  Weights(const Case& c, uint64_t seed) {
    const size_t row_bytes =
        c.format ? size_t(c.K) / block_values(*c.format) * block_bytes(*c.format) : size_t(c.K) * c.bits / 8;
    const std::vector<uint8_t> bytes = random_bytes(row_bytes * c.N, seed, c.format ? 0x2f : 0xff);
    if (c.format) {
      packed = array(bytes.data(), {c.N, static_cast<ShapeElem>(row_bytes)}, uint8);
    } else {
      packed =
          array(reinterpret_cast<const uint32_t*>(bytes.data()), {c.N, static_cast<ShapeElem>(row_bytes / 4)}, uint32);
      const ShapeElem groups = c.K / kGroup;
      const array waves = sin(reshape(arange(static_cast<double>(c.N * groups), float32), {c.N, groups}));
      scales = contiguous(astype(multiply(waves, array(0.02f)), c.dtype));
      biases = contiguous(astype(multiply(waves, array(-0.01f * static_cast<float>(1 << c.bits))), c.dtype));
    }
    eval(packed, scales, biases);
  }

  size_t bytes() const { return packed.nbytes() + scales.nbytes() + biases.nbytes(); }

  array product(const Case& c, const array& x) const {
    return c.format ? block_quantized_matmul(x, packed, *c.format)
                    : quantized_matmul(x, packed, scales, biases, true, kGroup, c.bits);
  }

  array widened(const Case& c) const {
    return c.format ? block_dequantize(packed, *c.format)
                    : dequantize(packed, astype(scales, float32), astype(biases, float32), kGroup, c.bits);
  }

  array packed{0}, scales{0}, biases{0};
};

array rows_of_x(const Case& c) {
  const array numbers = arange(static_cast<double>(c.M) * c.K, float32);
  array x = astype(reshape(sin(multiply(numbers, array(0.37f))), {c.M, c.K}), c.dtype);
  x.eval();
  return x;
}

// The largest error, relative to the largest output.
float error_of(const Case& c, const Weights& w, const array& x) {
  const array expected = matmul(astype(x, float32), swapaxes(w.widened(c), 0, 1));
  const array error = subtract(astype(w.product(c, x), float32), expected);
  return divide(max(abs(error)), max(abs(expected))).item<float>();
}

void run(benchmark::State& state, const Case& c) {
  const array x = rows_of_x(c);
  std::vector<Weights> weights;
  weights.emplace_back(c, 1);
  const float error = error_of(c, weights[0], x);
  const float bound = c.dtype == float32 ? 1e-4f : c.dtype == float16 ? 2e-3f : 1e-2f;
  if (!(error <= bound)) return state.SkipWithError(("a relative error of " + std::to_string(error)).c_str());
  constexpr double kCacheBytes = 256e6;  // more than any cache holds
  const double bytes = static_cast<double>(weights[0].bytes());
  for (uint64_t i = 1; i < std::clamp<uint64_t>(static_cast<uint64_t>(kCacheBytes / bytes) + 1, 1, 64); ++i) {
    weights.emplace_back(c, i + 1);
  }
  // Enough products an evaluation that its start and end do not count.
  const double flops = 2.0 * c.M * c.K * c.N;
  const int products = static_cast<int>(std::clamp(std::min(4e9 / bytes, 2e12 / flops), 2.0, 512.0));
  const auto multiply_all = [&] {
    std::vector<array> outputs;
    for (int i = 0; i < products; ++i) outputs.push_back(weights[i % weights.size()].product(c, x));
    eval(outputs);
  };
  multiply_all();  // makes the buffers
  for (auto _ : state) multiply_all();
  using Counter = benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops * products, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["bytes/s"] = Counter(bytes * products, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["error"] = error;
}

struct Size {
  ShapeElem M, K, N;
};
constexpr Size kSizes[] = {{1, 4096, 12288},  {1, 12288, 4096},  {1, 4096, 4096},    {1, 4096, 1024},
                           {1, 4096, 151936}, {2, 4096, 12288},  {4, 4096, 12288},   {8, 4096, 12288},
                           {16, 4096, 12288}, {64, 4096, 12288}, {512, 4096, 12288}, {2048, 4096, 12288},
                           {1, 2048, 2048},   {512, 4096, 4096}};

void register_sizes(const std::string& name, const Case& weights) {
  for (const Size& size : kSizes) {
    const std::string label =
        name + "/" + std::to_string(size.M) + "x" + std::to_string(size.K) + "x" + std::to_string(size.N);
    const Case c{weights.bits, weights.format, size.M, size.K, size.N, weights.dtype};
    benchmark::RegisterBenchmark(label.c_str(), [c](benchmark::State& state) { run(state, c); })->UseRealTime();
  }
}

void register_cases() {
  const std::pair<Dtype, const char*> dtypes[] = {{float32, "float32"}, {float16, "float16"}, {bfloat16, "bfloat16"}};
  for (const auto& [dtype, name] : dtypes) {
    for (const int bits : {2, 3, 4, 5, 6, 8}) {
      register_sizes("affine" + std::to_string(bits) + "/" + name, {bits, {}, 0, 0, 0, dtype});
    }
    for (const BlockFormat format : {BlockFormat::Q4_0, BlockFormat::Q4_1, BlockFormat::Q5_0, BlockFormat::Q5_1,
                                     BlockFormat::Q8_0, BlockFormat::Q4_K, BlockFormat::Q5_K, BlockFormat::Q6_K}) {
      register_sizes(std::string(block_format_name(format)) + "/" + name, {0, format, 0, 0, 0, dtype});
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
