#include "cli/model.h"

#include <filesystem>

#include <fmt/format.h>

#include "plimsoll/errors.h"
#include "plimsoll/lm/registry.h"
#include "plimsoll/memory.h"
#include "base/bytes.h"
#include "base/log.h"
#include "base/parallel.h"
#include "cli/interrupt.h"
#include "cli/stopwatch.h"

namespace plimsoll::cli {

void add_model_option(CLI::App& command, std::string& model) {
  command.add_option("--model", model, "a GGUF file, a model folder, or the name of a pulled model")
      ->type_name("MODEL")
      ->required();
}

LoadedModel load_model(const std::string& path_or_name, const CommonOptions& options) {
  const Stopwatch watch;
  lm::Model model = lm::Model::load(path_or_name, {.dtype = options.activations()});
  const double seconds = watch.seconds();
  check_interrupt();
  base::log_info(fmt::format("loaded {} in {:.2f} s; activations {}, {} threads; held {}", model.path(), seconds,
                             name_of(model.dtype()), base::num_threads(), base::format_bytes(get_active_memory())));
  return {std::move(model), seconds};
}

std::string find_model_path(const std::string& path_or_name) {
  std::error_code ignored;
  if (std::filesystem::exists(path_or_name, ignored)) return path_or_name;
  if (const auto pulled = lm::find_pulled(path_or_name)) return *pulled;
  throw FileError(path_or_name, "there is no such file or folder, and no model of that name was pulled");
}

}  // namespace plimsoll::cli
