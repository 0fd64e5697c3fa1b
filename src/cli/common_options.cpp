#include "cli/common_options.h"

#include <climits>
#include <cstdio>

#include <fmt/format.h>

#include "plimsoll/device.h"
#include "plimsoll/memory.h"
#include "plimsoll/random.h"
#include "base/bytes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/quote.h"

namespace plimsoll::cli {

namespace {

constexpr const char* kGroup = "Common options";

void refuse_feature(CLI::App& command, const std::string& name, const std::string& description, int least_values) {
  const std::string option = name.substr(0, name.find('='));
  command
      .add_option_function<std::string>(
          option, [option](const std::string&) { throw CLI::ValidationError(option, "this build does not have it"); },
          description + " (not in this build)")
      ->expected(least_values, 1)
      ->group(kGroup);
}

// Without a name: a real GPU if there is one, else the CPU.
void set_device(const std::string& name) {
  if (!name.empty()) {
    set_default_device(open_device(name));
  } else if (device_count(Device::gpu) > 0) {
    set_default_device(Device(Device::gpu, 0));
  }
}

void set_limits(const CommonOptions& options) {
  if (options.memory_limit) {
    const size_t before = set_memory_limit(*options.memory_limit);
    if (*options.memory_limit > before) {
      base::log_warning(fmt::format("the memory limit of {} is above the {} that this machine can safely give now",
                                    base::format_bytes(*options.memory_limit), base::format_bytes(before)));
    }
  }
  if (!options.wired_limit) return;
  set_wired_limit(*options.wired_limit);
  if (!can_wire()) base::log_warning("--wired-limit has no effect: this device cannot keep memory resident");
}

void print_logs(bool verbose) {
  base::set_log_sink([verbose](base::LogLevel level, std::string_view message) {
    if (level == base::LogLevel::kWarning) {
      fmt::print(stderr, "plimsoll: warning: {}\n", message);
    } else if (verbose) {
      fmt::print(stderr, "plimsoll: {}\n", message);
    }
  });
}

}  // namespace

std::optional<Dtype> CommonOptions::activations() const {
  for (const Dtype candidate : {float32, bfloat16, float16}) {
    if (name_of(candidate) == dtype) return candidate;
  }
  return std::nullopt;
}

CLI::Option* add_size_option(CLI::App& command, const std::string& name, std::optional<uint64_t>& value,
                             const std::string& description) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &value](const std::string& text) {
            value = base::parse_bytes(text);
            if (!value) throw CLI::ValidationError(name, base::quote(text) + " is no size such as 24.5GiB or 512MiB");
          },
          description)
      ->type_name("SIZE");
}

CLI::Option* add_count_option(CLI::App& command, const std::string& name, int& value, int least,
                              const std::string& description) {
  return command.add_option(name, value, description)
      ->type_name("N")
      ->check(CLI::Range(least, INT_MAX).description(""))
      ->capture_default_str();
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--device", options.device,
                  "where work runs: cpu, vulkan[:N] or sim:NAME; by default a real GPU if there is one, else cpu")
      ->type_name("NAME")
      ->envname("PLIMSOLL_DEVICE")
      ->group(kGroup);
  command.add_option("--dtype", options.dtype, "of activations: auto, float32, bfloat16 or float16")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16", "float16"}).description(""))
      ->capture_default_str()
      ->group(kGroup);
  add_size_option(command, "--memory-limit", options.memory_limit, "what arrays and mapped files may take together")
      ->group(kGroup);
  add_size_option(command, "--wired-limit", options.wired_limit, "bytes to keep resident")->group(kGroup);
  command.add_option("--threads", options.threads, "threads of the CPU")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""))
      ->envname("PLIMSOLL_NUM_THREADS")
      ->group(kGroup);
  command.add_option("--seed", options.seed, "makes sampling repeatable")->type_name("N")->group(kGroup);
  command.add_flag("--json", options.json, "one JSON object on stdout (docs/json.md)")->group(kGroup);
  command.add_flag("--quiet", options.quiet, "no progress and no summary on stderr")->group(kGroup);
  command.add_flag("--verbose", options.verbose, "more on stderr")->group(kGroup);
  refuse_feature(command, "--profile=shapes", "time of each kernel", 0);
  refuse_feature(command, "--trace=FILE", "a timeline for Perfetto", 1);
}

std::string device_name(const CommonOptions& options) {
  if (!options.device.empty()) return options.device;
  return default_device() == Device::cpu ? "cpu" : "gpu";
}

void apply(const CommonOptions& options) {
  print_logs(options.verbose);
  set_device(options.device);
  set_limits(options);
  if (options.threads) base::set_num_threads(*options.threads);
  if (options.seed) random::seed(*options.seed);
}

}  // namespace plimsoll::cli
