// `plimsoll bench op`: single operations against what the machine can do: its measured copy bandwidth, and the speed of
// a large matrix product of the same dtype.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plimsoll/memory.h"
#include "base/parallel.h"
#include "base/quote.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/measure.h"
#include "cli/op_cases.h"
#include "cli/output.h"

namespace plimsoll::cli {

namespace {

struct Options {
  CommonOptions common;
  std::vector<std::string> operations;
  OpSizes sizes;
  std::string format = "Q4_K";
  int repeats = 7;
};

struct Ceilings {
  double copy = 0.0;     // bytes per second, read and written
  double product = 0.0;  // floating point operations per second
};

struct Measured {
  OpCase op;
  Spread seconds;

  double bytes_per_second() const { return op.bytes / seconds.median; }
  double flops_per_second() const { return op.flops / seconds.median; }
  // Of the speed that the nearer of the two ceilings allows; above 1 where caches beat memory.
  double fraction_of(const Ceilings& ceilings) const {
    return std::max(bytes_per_second() / ceilings.copy, flops_per_second() / ceilings.product);
  }
};

BlockFormat block_format(const std::string& name) {
  if (const auto format = block_format_from_name(name)) return *format;
  throw std::invalid_argument(fmt::format("[--format] there is no block format {}", base::quote(name)));
}

Measured measure(const std::string& name, const OpSizes& sizes, Dtype dtype, BlockFormat format, int repeats) {
  Measured result{.op = make_op_case(name, sizes, dtype, format), .seconds = {}};
  result.seconds = measure_seconds(result.op.call, repeats);
  result.op.call = nullptr;  // frees the inputs
  return result;
}

Ceilings measure_ceilings(const Options& options, Dtype dtype) {
  const Measured copy = measure("copy", {.rows = 4096, .columns = 8192, .inner = {}}, float32, {}, options.repeats);
  const OpSizes square{.rows = 1024, .columns = 1024, .inner = 1024};
  const Measured product = measure("matmul", square, dtype, {}, options.repeats);
  return {copy.bytes_per_second(), product.flops_per_second()};
}

Json measured_json(const Measured& measured, const Ceilings& ceilings) {
  const OpCase& op = measured.op;
  return {
      {"operation", op.name},
      {"format", op.format.empty() ? Json(nullptr) : Json(op.format)},
      {"rows", op.rows},
      {"columns", op.columns},
      {"inner", op.inner == 0 ? Json(nullptr) : Json(op.inner)},
      {"seconds", spread_json(measured.seconds)},
      {"bytes_per_second", measured.bytes_per_second()},
      {"flops_per_second", measured.flops_per_second()},
      {"fraction_of_ceiling", measured.fraction_of(ceilings)},
  };
}

std::string shape_text(const OpCase& op) {
  if (op.inner == 0) return fmt::format("{} x {}", op.rows, op.columns);
  return fmt::format("{} x {} x {}", op.rows, op.columns, op.inner);
}

void print_row(const Measured& measured, const Ceilings& ceilings) {
  const OpCase& op = measured.op;
  print(fmt::format("{:<16} {:<20} {:>9.3f} ({:.3f} to {:.3f}) {:>8.1f} {:>9.1f} {:>6.0f} %\n",
                    op.format.empty() ? op.name : op.name + " " + op.format, shape_text(op),
                    measured.seconds.median * 1e3, measured.seconds.least * 1e3, measured.seconds.most * 1e3,
                    measured.bytes_per_second() / 1e9, measured.flops_per_second() / 1e9,
                    measured.fraction_of(ceilings) * 100));
}

int run_bench_op(const Options& options) {
  apply(options.common);
  const Dtype dtype = options.common.activations().value_or(float32);
  const BlockFormat format = block_format(options.format);
  const std::vector<std::string> names = options.operations.empty() ? op_names() : options.operations;
  for (const std::string& name : names) check_op(name, options.sizes, format);
  const Ceilings ceilings = measure_ceilings(options, dtype);
  if (!options.common.json) {
    print(fmt::format("{}, {} threads; ceilings: copy {:.1f} GB/s, matrix product {:.1f} GFLOP/s\n", name_of(dtype),
                      base::num_threads(), ceilings.copy / 1e9, ceilings.product / 1e9));
    print("operation        rows x columns       median ms (least to most)    GB/s   GFLOP/s  of ceiling\n");
  }
  Json results = Json::array();
  for (const std::string& name : names) {
    const Measured measured = measure(name, options.sizes, dtype, format, options.repeats);
    if (options.common.json) {
      results.push_back(measured_json(measured, ceilings));
    } else {
      print_row(measured, ceilings);
    }
  }
  if (!options.common.json) return kDone;
  print_json({{"ceilings", {{"bytes_per_second", ceilings.copy}, {"flops_per_second", ceilings.product}}},
              {"results", results},
              {"repeats", options.repeats},
              {"threads", base::num_threads()},
              {"memory", memory_json(memory_stats())},
              {"device", device_name(options.common)},
              {"dtype", name_of(dtype)}});
  return kDone;
}

void add_size(CLI::App& command, const std::string& name, std::optional<int>& value, const std::string& description) {
  command.add_option(name, value, description)->type_name("N")->check(CLI::Range(1, 1 << 20).description(""));
}

}  // namespace

void add_bench_op(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *bench.add_subcommand("op", "bandwidth and FLOP/s of single operations against the machine's");
  command.footer("Example:\n  plimsoll bench op quantized --rows 1 --columns 4096 --inner 4096 --format Q6_K");
  command.add_option("OPERATION", options->operations, "which; all without")
      ->check(CLI::IsMember(op_names()).description(fmt::format("{}", fmt::join(op_names(), ", "))));
  add_size(command, "--rows", options->sizes.rows, "rows of the input");
  add_size(command, "--columns", options->sizes.columns, "columns of the result");
  add_size(command, "--inner", options->sizes.inner, "of products: columns of the input");
  command.add_option("--format", options->format, "of quantized weights: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K ...")
      ->capture_default_str();
  add_count_option(command, "--repeats", options->repeats, 1, "samples, of which the median counts");
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_bench_op(*options); }; });
}

}  // namespace plimsoll::cli
