// `plimsoll bench`: measurements.
#include "cli/commands.h"

namespace plimsoll::cli {

void add_bench(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("bench", "measurements with warm-up, medians and spread");
  command.require_subcommand(0, 1);
  command.footer("Example:\n  plimsoll bench lm --model smollm2-135m-instruct --prompt-tokens 512");
  add_bench_lm(command, action);
  add_bench_op(command, action);
}

}  // namespace plimsoll::cli
