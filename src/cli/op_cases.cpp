#include "cli/op_cases.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "plimsoll/fast.h"
#include "plimsoll/ops.h"
#include "plimsoll/transforms.h"

namespace plimsoll::cli {

namespace {

// Small values of both signs, the same each time.
array make_matrix(int rows, int columns, Dtype dtype) {
  const array ramp = remainder(arange(0.0, columns, 1.0, float32), array(61.0f));
  array matrix = contiguous(broadcast_to(astype(ramp / array(61.0f) - array(0.5f), dtype), {rows, columns}));
  matrix.eval();
  return matrix;
}

double bytes_of(const array& a) { return static_cast<double>(a.nbytes()); }

// Operations that touch each element once: `operation` of inputs of one shape.
template <typename Operation>
OpCase elementwise(const OpSizes& sizes, Dtype dtype, int inputs, double flops_per_element, Operation operation) {
  OpCase result;
  result.rows = sizes.rows.value_or(4096);
  result.columns = sizes.columns.value_or(4096);
  const array x = make_matrix(result.rows, result.columns, dtype);
  result.bytes = bytes_of(x) * (inputs + 1);
  result.flops = flops_per_element * static_cast<double>(x.size());
  result.call = [x, operation] { eval(operation(x)); };
  return result;
}

// Two halves put together again: copy() itself shares the buffer until someone writes.
OpCase copy_case(const OpSizes& sizes, Dtype dtype) {
  return elementwise(sizes, dtype, 1, 0.0, [](const array& x) {
    const int rows = x.shape(0);
    const int columns = x.shape(1);
    return concatenate({slice(x, {0, 0}, {rows / 2, columns}), slice(x, {rows / 2, 0}, {rows, columns})}, 0);
  });
}

OpCase add_case(const OpSizes& sizes, Dtype dtype) {
  const array y = make_matrix(sizes.rows.value_or(4096), sizes.columns.value_or(4096), dtype);
  return elementwise(sizes, dtype, 2, 1.0, [y](const array& x) { return add(x, y); });
}

OpCase softmax_case(const OpSizes& sizes, Dtype dtype) {
  return elementwise(sizes, dtype, 1, 5.0, [](const array& x) { return softmax(x, -1); });
}

OpCase norm_case(const OpSizes& sizes, Dtype dtype) {
  const array weight = ones({sizes.columns.value_or(4096)}, dtype);
  return elementwise(sizes, dtype, 1, 4.0, [weight](const array& x) { return fast::rms_norm(x, weight, 1e-5f); });
}

// x [M, K] times weights of N rows.
OpCase product(const OpSizes& sizes, int default_rows, Dtype dtype, const array& weights,
               const std::function<array(const array&)>& operation) {
  OpCase result;
  result.rows = sizes.rows.value_or(default_rows);
  result.columns = sizes.columns.value_or(2048);
  result.inner = sizes.inner.value_or(2048);
  const array x = make_matrix(result.rows, result.inner, dtype);
  const double elements = static_cast<double>(result.rows) * result.columns;
  result.bytes = bytes_of(x) + bytes_of(weights) + elements * dtype.size();
  result.flops = 2.0 * elements * result.inner;
  result.call = [x, operation] { eval(operation(x)); };
  return result;
}

OpCase matmul_case(const OpSizes& sizes, Dtype dtype) {
  const array weights = make_matrix(sizes.inner.value_or(2048), sizes.columns.value_or(2048), dtype);
  return product(sizes, 512, dtype, weights, [weights](const array& x) { return matmul(x, weights); });
}

// Bytes below 0x3c keep every scale, a float16, below 1.
array make_packed(int rows, int row_bytes) {
  const array ramp = remainder(arange(0, row_bytes, 1), array(0x3c));
  array packed = contiguous(broadcast_to(astype(ramp, uint8), {rows, row_bytes}));
  packed.eval();
  return packed;
}

OpCase quantized_case(const OpSizes& sizes, Dtype dtype, BlockFormat format) {
  const int row_bytes = sizes.inner.value_or(2048) / block_values(format) * block_bytes(format);
  const array weights = make_packed(sizes.columns.value_or(2048), row_bytes);
  OpCase result = product(sizes, 1, dtype, weights,
                          [weights, format](const array& x) { return block_quantized_matmul(x, weights, format); });
  result.format = block_format_name(format);
  return result;
}

struct NamedCase {
  std::string_view name;
  OpCase (*make)(const OpSizes& sizes, Dtype dtype, BlockFormat format);
};

constexpr std::array kCases = {
    NamedCase{"copy", [](const OpSizes& sizes, Dtype dtype, BlockFormat) { return copy_case(sizes, dtype); }},
    NamedCase{"add", [](const OpSizes& sizes, Dtype dtype, BlockFormat) { return add_case(sizes, dtype); }},
    NamedCase{"softmax", [](const OpSizes& sizes, Dtype dtype, BlockFormat) { return softmax_case(sizes, dtype); }},
    NamedCase{"norm", [](const OpSizes& sizes, Dtype dtype, BlockFormat) { return norm_case(sizes, dtype); }},
    NamedCase{"matmul", [](const OpSizes& sizes, Dtype dtype, BlockFormat) { return matmul_case(sizes, dtype); }},
    NamedCase{"quantized", quantized_case},
};

const NamedCase& find_case(std::string_view name) {
  const auto found = std::ranges::find(kCases, name, &NamedCase::name);
  if (found == kCases.end()) throw std::invalid_argument(fmt::format("[bench op] there is no operation {}", name));
  return *found;
}

}  // namespace

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const NamedCase& named : kCases) names.emplace_back(named.name);
  return names;
}

void check_op(std::string_view name, const OpSizes& sizes, BlockFormat format) {
  find_case(name);
  if (name != "quantized" || sizes.inner.value_or(0) % block_values(format) == 0) return;
  throw std::invalid_argument(fmt::format("[--inner] {} is no multiple of the {} values in a block of {}", *sizes.inner,
                                          block_values(format), block_format_name(format)));
}

OpCase make_op_case(std::string_view name, const OpSizes& sizes, Dtype dtype, BlockFormat format) {
  OpCase result = find_case(name).make(sizes, dtype, format);
  result.name = name;
  return result;
}

}  // namespace plimsoll::cli
