// A model that arguments name.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "plimsoll/lm/model.h"
#include "cli/common_options.h"

namespace plimsoll::cli {

struct LoadedModel {
  lm::Model model;
  double seconds;  // that loading took
};

// --model, required.
void add_model_option(CLI::App& command, std::string& model);

// To be called after apply(). FileError if it cannot be loaded.
LoadedModel load_model(const std::string& path_or_name, const CommonOptions& options);

// The path of a file, a folder, or what a pulled model's name stands for; FileError for none of these.
std::string find_model_path(const std::string& path_or_name);

}  // namespace plimsoll::cli
