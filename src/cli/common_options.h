// The options that every subcommand takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "plimsoll/dtype.h"

namespace plimsoll::cli {

struct CommonOptions {
  std::string device;  // empty: chosen
  std::string dtype = "auto";
  std::optional<uint64_t> memory_limit;  // bytes
  std::optional<uint64_t> wired_limit;   // bytes
  std::optional<int> threads;
  std::optional<uint64_t> seed;
  bool json = false;
  bool quiet = false;
  bool verbose = false;

  // Of the activations; nothing for auto.
  std::optional<Dtype> activations() const;
};

// `options` must live until the command has been parsed.
void add_common_options(CLI::App& command, CommonOptions& options);

// The device that work runs on, as --device names it; "gpu" for the first real one, taken without a name.
std::string device_name(const CommonOptions& options);

// Chooses the device, sets limits, threads and seed, and sends warnings to stderr. To be called before anything is
// loaded, so that the limits hold from the first byte. DeviceError for a device that is not there.
void apply(const CommonOptions& options);

// An option whose value is a size such as 24.5GiB, and one whose value is a number of tokens, rows or the like.
CLI::Option* add_size_option(CLI::App& command, const std::string& name, std::optional<uint64_t>& value,
                             const std::string& description);
CLI::Option* add_count_option(CLI::App& command, const std::string& name, int& value, int least,
                              const std::string& description);

}  // namespace plimsoll::cli
