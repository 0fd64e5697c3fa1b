// `plimsoll make-tiny`: writes a tiny random model, to try the command without a download.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "plimsoll/lm/tiny_model.h"
#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/output.h"

namespace plimsoll::cli {

namespace {

constexpr uint64_t kDefaultSeed = 20;

struct Options {
  CommonOptions common;
  std::string path;
};

int run_make_tiny(const Options& options) {
  apply(options.common);
  lm::make_tiny_model(options.path, options.common.seed.value_or(kDefaultSeed));
  const auto nbytes = static_cast<uint64_t>(std::filesystem::file_size(options.path));
  if (options.common.json) {
    print_json({{"path", options.path}, {"bytes", nbytes}});
  } else {
    print(fmt::format("{} ({}): random weights, byte tokenizer\n", options.path, base::format_bytes(nbytes)));
  }
  return kDone;
}

}  // namespace

void add_make_tiny(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("make-tiny", "writes a tiny model of random weights as a GGUF file");
  command.footer("The same --seed gives the same file everywhere.\n\nExample:\n  plimsoll make-tiny tiny.gguf");
  command.add_option("FILE", options->path, "where to write it")->required();
  add_common_options(command, options->common);
  command.callback([options, &action] { action = [options] { return run_make_tiny(*options); }; });
}

}  // namespace plimsoll::cli
