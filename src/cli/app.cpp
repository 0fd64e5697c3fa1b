#include "cli/app.h"

#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/interrupt.h"

namespace plimsoll::cli {

namespace {

void describe(CLI::App& app) {
  app.name("plimsoll");
  app.description("Language models under a memory limit that holds.");
  app.footer(
      "Example:\n"
      "  plimsoll pull smollm2-135m-instruct\n"
      "  plimsoll generate --model smollm2-135m-instruct --prompt \"Name three seas.\"\n\n"
      "`plimsoll COMMAND --help` shows the options of a command.");
  app.set_version_flag("--version", "plimsoll " PLIMSOLL_VERSION);
  app.require_subcommand(0, 1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("plimsoll: ") + error.what() + "\nRun with --help for more information.\n";
  });
  app.get_formatter()->column_width(34);
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app;
  Action action;
  describe(app);
  for (const auto add : kCommands) add(app, action);
  try {
    app.parse(argc, argv);
    if (!action) throw CLI::RequiredError("a command");
    install_interrupt_handler();
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongUsage;
  } catch (...) {
    return report_current_exception();
  }
}

}  // namespace plimsoll::cli
