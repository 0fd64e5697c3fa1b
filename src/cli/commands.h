// The subcommands, one file each.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

// What the arguments ask for; returns the exit code. Errors are exceptions.
using Action = std::function<int()>;

// Each adds its subcommand to `app`; when the arguments name it, parsing sets `action`.
void add_devices(CLI::App& app, Action& action);
void add_pull(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_chat(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_make_tiny(CLI::App& app, Action& action);

// Under `bench`.
void add_bench_lm(CLI::App& bench, Action& action);
void add_bench_op(CLI::App& bench, Action& action);

// In the order of --help.
inline constexpr void (*kCommands[])(CLI::App&, Action&) = {
    add_devices, add_pull, add_inspect, add_generate, add_chat, add_eval, add_bench, add_make_tiny,
};

}  // namespace plimsoll::cli
